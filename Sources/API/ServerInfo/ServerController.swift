import Edge
import HTTPTypes
import Hummingbird
import ParleyWire

/// What this server is and allows, so that clients hard-code nothing.
struct ServerController {
    let info: ServerInfo

    func addRoutes(to group: Routes<CallerContext>) {
        group.read("server") { _, _ in Representation(encoding: info) }
    }
}
