import Foundation
import Testing

@testable import Attachments

/// The example of AWS' own documentation (Signature Calculations for the Authorization Header, GET Object).
@Suite struct `A request to S3` {
    @Test func `is signed as AWS does`() throws {
        let bucket = S3Bucket(
            endpoint: try #require(URL(string: "https://examplebucket.s3.amazonaws.com")),
            name: "examplebucket",
            region: "us-east-1",
            accessKey: "AKIAIOSFODNN7EXAMPLE",
            secretKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
        )
        let fields = S3Signature(bucket: bucket).fields(
            "GET",
            host: "examplebucket.s3.amazonaws.com",
            path: "/test.txt",
            more: [("range", "bytes=0-9")],
            hash: S3Signature.emptyHash,
            at: Date(timeIntervalSince1970: 1_369_353_600)
        )
        #expect(
            fields.first { $0.0 == "authorization" }?.1.hasSuffix(
                "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
            ) == true
        )
    }
}
