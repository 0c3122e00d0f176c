package import Foundation

/// A device as its person sees it: its address is told to nobody.
package struct RegisteredDevice: Sendable, Equatable {
    package let id: UUID
    package let session: UUID
    package let platform: PushPlatform
    package let app: String
    package let isSandbox: Bool
    package let preview: PushPreview
    package let locale: String?
    package let createdAt: Date
    package let renewedAt: Date
}
