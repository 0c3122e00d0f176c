import Synchronization

/// The files that are served now; where they come from a folder, they are read again with every page.
final class CurrentClient: Sendable {
    private let folder: String?
    private let state: Mutex<WebClient>

    init(_ client: WebClient, folder: String?) {
        self.folder = folder
        state = Mutex(client)
    }

    var client: WebClient { state.withLock { $0 } }

    /// The client as it is in the folder; as it was before, while the folder cannot be read.
    func reread() async -> WebClient {
        guard let folder, let new = try? await WebClient.inFolder(folder) else { return client }
        state.withLock { $0 = new }
        return new
    }
}
