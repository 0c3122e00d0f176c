import NIOCore

extension EventLoop {
    /// Runs something on the loop's thread: at once where the caller is there already.
    func onItsThread(_ body: @escaping @Sendable () -> Void) {
        if inEventLoop { body() } else { execute(body) }
    }
}
