import Edge
import HTTPTypes
import Hummingbird
import Identity
import ParleyWire
import Reactors

/// Where the caller's devices are reached when nobody looks at them.
struct DevicesController {
    let devices: Devices

    func addRoutes(to group: Routes<CallerContext>) {
        group.put("devices/{deviceId}", use: put)
        group.delete("devices/{deviceId}", use: remove)
        group.read("devices", use: list)
    }

    @Sendable private func put(_ request: Request, _ context: CallerContext) async throws -> Response {
        let id = try context.newID("deviceId")
        let registration = try DeviceFields(try await request.fields()).registration
        let (person, session) = (context.callerID, context.caller.sessionID)
        guard let (device, isNew) = try await devices.put(registration, as: id, of: person, session: session) else {
            throw HTTPProblem.unauthenticated("The session has ended.")
        }
        return JSONBody.response(Device(device), status: isNew ? .created : .ok)
    }

    @Sendable private func remove(_ request: Request, _ context: CallerContext) async throws -> Response {
        guard try await devices.remove(try context.id("deviceId"), of: context.callerID) else {
            throw HTTPProblem.notFound
        }
        return Response(status: .noContent)
    }

    @Sendable private func list(_ request: Request, _ context: CallerContext) async throws -> Representation {
        let devices = try await devices.list(of: context.callerID)
        return Representation(encoding: ListPage(items: devices.map(Device.init), nextCursor: nil))
    }
}

extension Device {
    init(_ device: RegisteredDevice) {
        self.init(
            id: WireID(device.id),
            sessionId: WireID(device.session),
            platform: DevicePlatform(rawValue: device.platform.rawValue),
            app: device.app.isEmpty ? nil : device.app,
            environment: device.isSandbox ? .sandbox : .production,
            preview: DevicePreview(rawValue: device.preview.rawValue),
            locale: device.locale,
            createdAt: Timestamp.truncate(device.createdAt),
            renewedAt: Timestamp.truncate(device.renewedAt)
        )
    }
}
