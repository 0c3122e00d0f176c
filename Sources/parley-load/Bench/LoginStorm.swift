import Foundation
import NIOCore
import NIOPosix
import ParleyWire

/// A closed loop: each connection signs somebody in as soon as the last login is answered.
struct LoginStorm: Sendable {
    let stage: BenchStage
    let connections: Int

    func run(for time: Duration, figures: Figures) async throws {
        let people = stage.groups.flatMap(\.people)
        let end = ContinuousClock.now + time
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for number in 0..<connections {
                let address = stage.addresses[number % stage.addresses.count]
                let request = try Self.request(people[number % people.count], address)
                tasks.addTask {
                    let connection = try await RawConnection.open(address, on: MultiThreadedEventLoopGroup.singleton)
                    try await connection.sendAll {
                        ContinuousClock.now < end ? request : nil
                    } onAnswer: { response, duration in
                        guard response.status == 200 else { return figures.addFailure(status: response.status) }
                        figures.add(duration)
                    }
                    await connection.close()
                }
            }
            try await tasks.waitForAll()
        }
    }

    private static func request(_ person: Account, _ address: ServerAddress) throws -> ByteBuffer {
        let body = try WireJSON.encoder().encode(person.loginRequest)
        var request = ByteBuffer(
            string: "POST /v1/auth/login HTTP/1.1\r\nHost: \(address.host):\(address.port)\r\n"
                + "Content-Type: application/json\r\nContent-Length: \(body.count)\r\n\r\n"
        )
        request.writeBytes(body)
        return request
    }
}
