/// What the loop calls, on its thread, when a watched socket has something to read (or has failed) or takes writes.
protocol EventHandler: AnyObject {
    func handle(readable: Bool, writable: Bool)
}
