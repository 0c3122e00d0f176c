/// Why a file is refused, or cannot be had.
package enum AttachmentError: Error, Equatable, Sendable {
    /// There is no such file, or none that the caller may know of.
    case notFound
    /// The id is somebody else's, or that of other bytes.
    case idTaken
    /// It is in a message or is somebody's picture: that is what must be taken back.
    case inUse
    /// More than a file of its kind may have.
    case tooLarge(limit: Int)
    /// No bytes at all.
    case empty
    /// Other than what it was said to be: only so much of it can be right.
    case wrongLength
    /// An upload goes on elsewhere than there: so much has come.
    case offset(received: Int64, isComplete: Bool)
    /// Another request has taken the upload over, and it is not known yet whether it brings the same.
    case overtaken
    /// Its bytes are of none of the formats that are taken as what it is said to be.
    case unsupportedFormat
    /// It is no picture that can be shown, or too large a one.
    case unreadableImage
    /// The scanner has found something in it.
    case harmful
    /// The person has as much as one may.
    case quota
    /// The person has begun as many uploads as one may.
    case tooManyUploads
    /// The server has as much as it may, or its disk is full.
    case full
    /// Too many pictures wait.
    case overloaded
    /// What keeps the bytes, or looks at them, cannot be reached.
    case unavailable
    /// Its bytes are not where they were kept, or are others.
    case lost
    /// The person is no longer there.
    case unknownOwner
}
