import CJPEG
import Foundation
import NIOCore

/// A picture as large and as rich in detail as one that a camera takes.
enum Photo {
    static let width = 4_032
    static let height = 3_024

    /// As JPEG. What libjpeg cannot do ends the program, as its own handling of errors has it: nothing here comes from outside.
    static func make(quality: Int32 = 90) -> ByteBuffer {
        let info = UnsafeMutablePointer<jpeg_compress_struct>.allocate(capacity: 1)
        let errors = UnsafeMutablePointer<jpeg_error_mgr>.allocate(capacity: 1)
        // libjpeg keeps where these are, and fills them in at the end.
        let bytes = UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>.allocate(capacity: 1)
        let count = UnsafeMutablePointer<UInt>.allocate(capacity: 1)
        info.initialize(to: jpeg_compress_struct())
        errors.initialize(to: jpeg_error_mgr())
        bytes.initialize(to: nil)
        count.initialize(to: 0)
        defer {
            info.deallocate()
            errors.deallocate()
            bytes.deallocate()
            count.deallocate()
        }
        info.pointee.err = jpeg_std_error(errors)
        jpeg_CreateCompress(info, JPEG_LIB_VERSION, MemoryLayout<jpeg_compress_struct>.size)
        jpeg_mem_dest(info, bytes, count)
        info.pointee.image_width = UInt32(width)
        info.pointee.image_height = UInt32(height)
        info.pointee.input_components = 3
        info.pointee.in_color_space = JCS_RGB
        jpeg_set_defaults(info)
        jpeg_set_quality(info, quality, 1)
        jpeg_start_compress(info, 1)
        var noise: UInt64 = 0x9E37_79B9_7F4A_7C15
        var row = [UInt8](repeating: 0, count: width * 3)
        for line in 0..<height {
            fill(&row, line, &noise)
            row.withUnsafeMutableBufferPointer { pixels in
                var start = pixels.baseAddress
                _ = jpeg_write_scanlines(info, &start, 1)
            }
        }
        jpeg_finish_compress(info)
        let photo = ByteBuffer(bytes: UnsafeRawBufferPointer(start: bytes.pointee, count: Int(count.pointee)))
        jpeg_destroy_compress(info)
        free(bytes.pointee)
        return photo
    }

    /// Surfaces, edges and grain.
    private static func fill(_ row: inout [UInt8], _ line: Int, _ noise: inout UInt64) {
        for column in 0..<width {
            noise ^= noise << 13
            noise ^= noise >> 7
            noise ^= noise << 17
            let grain = Int(noise & 7)
            let isInside = (column / 251 + line / 173) % 2 == 0
            let (across, down) = (column * 200 / width, line * 200 / height)
            row[3 * column] = UInt8(truncatingIfNeeded: (isInside ? across : 220 - down) + grain)
            row[3 * column + 1] = UInt8(truncatingIfNeeded: (across + down) / 2 + grain)
            row[3 * column + 2] = UInt8(truncatingIfNeeded: (isInside ? down : across) + grain)
        }
    }
}
