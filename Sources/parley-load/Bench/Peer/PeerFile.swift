import Foundation
import ParleyWire

/// How to drive a server that speaks HTTP: read from a JSON file, checked before anything is sent.
struct PeerFile: Sendable {
    /// What is wrong with the file, and where.
    struct Problem: Error, CustomStringConvertible {
        let description: String
    }

    /// One request, with placeholders in its path, headers and body.
    struct Step: Sendable {
        var method: String
        var path: String
        var headers: [String: String]
        var body: String?
        /// The statuses that count as done.
        var success: [Int]
        /// Fields of a JSON answer that become placeholders for later steps: name to path, as `"room": "data.id"`.
        var variables: [String: String]
    }

    let name: String
    let address: ServerAddress
    let url: String
    /// How often the setup is done; connections are spread over what each of them made.
    let senders: Int
    let setup: [Step]
    /// What is measured.
    let request: Step

    private static let mostSteps = 100
    private static let largestFile = 1 << 20

    init(path: String) throws {
        let data: Data
        do {
            data = try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
            throw Problem(description: "\(path) cannot be read")
        }
        try self.init(json: data)
    }

    init(json: Data) throws {
        guard json.count <= Self.largestFile else { throw Problem(description: "larger than 1 MiB") }
        let file: PeerJSON
        do {
            file = try JSONDecoder().decode(PeerJSON.self, from: json)
        } catch let error as DecodingError {
            throw Problem(description: error.place)
        }
        guard let address = ServerAddress(file.url) else {
            throw Problem(description: "url: not an address like http://127.0.0.1:8008")
        }
        guard URL(string: file.url)?.path.isEmpty ?? true else {
            throw Problem(description: "url: without a path; paths belong to the requests")
        }
        guard (1...1000).contains(file.senders ?? 1) else { throw Problem(description: "senders: 1 to 1,000") }
        guard (file.setup ?? []).count <= Self.mostSteps else { throw Problem(description: "setup: at most 100 steps") }
        name = file.name
        url = file.url
        self.address = address
        senders = file.senders ?? 1
        setup = try (file.setup ?? []).enumerated().map { try $1.step("setup[\($0)]") }
        request = try file.request.step("request")
        try checkPlaceholders()
    }

    /// Each step may name what is built in, and what the steps before it found.
    private func checkPlaceholders() throws {
        var known = PeerText.builtIn
        for (number, step) in setup.enumerated() {
            try check(step, "setup[\(number)]", known)
            for name in step.variables.keys.sorted() {
                guard !PeerText.builtIn.contains(name) else {
                    throw Problem(description: "setup[\(number)].variables: {\(name)} is built in")
                }
                known.insert(name)
            }
        }
        try check(request, "request", known)
        guard request.variables.isEmpty else {
            throw Problem(description: "request.variables: only steps of the setup have any")
        }
    }

    private func check(_ step: Step, _ place: String, _ known: Set<String>) throws {
        let texts =
            [("path", step.path), ("body", step.body ?? "")]
            + step.headers.sorted { $0.key < $1.key }.map { ("headers.\($0.key)", $0.value) }
        for (field, text) in texts {
            for name in PeerText.placeholders(in: text) where !known.contains(name) {
                let list = known.sorted().map { "{\($0)}" }.joined(separator: ", ")
                throw Problem(description: "\(place).\(field): there is no {\(name)} here; there are \(list)")
            }
        }
    }
}
