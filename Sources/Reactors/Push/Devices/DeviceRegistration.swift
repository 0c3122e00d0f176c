/// What an app says of the device that it is on.
package struct DeviceRegistration: Sendable {
    let address: PushAddress
    let preview: PushPreview
    let locale: String?

    package init(address: PushAddress, preview: PushPreview = .full, locale: String? = nil) {
        self.address = address
        self.preview = preview
        self.locale = locale
    }
}
