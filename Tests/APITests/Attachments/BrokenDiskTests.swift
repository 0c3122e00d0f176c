import Foundation
import Testing

@testable import Attachments

@Suite(.timeLimit(.minutes(1))) struct `A file that the disk has not taken` {
    @Test(.smallDisk) func `is not said to be safe, though there is room by now`() async throws {
        try await SmallDisk.with { directory in
            let ballast = "\(directory)/ballast"
            try Data(count: 1 << 20).write(to: URL(fileURLWithPath: ballast))
            let file = try await DiskFile.create("\(directory)/file")
            try await file.append(Data(count: 500_000))
            try await file.sync()
            await #expect(throws: AttachmentError.full) { try await file.append(Data(count: 1 << 20)) }
            try FileManager.default.removeItem(atPath: ballast)
            // A part of what failed may be there: whatever came now would stand at the wrong place.
            await #expect(throws: POSIXError.self) { try await file.append(Data(count: 1)) }
            await #expect(throws: POSIXError.self) { try await file.sync() }
            await #expect(throws: POSIXError.self) { try await file.syncName() }
        }
    }
}
