/// What is wrong with one field (by JSON pointer) or one query parameter (by name).
public struct FieldProblem: Codable, Hashable, Sendable {
    public var pointer: String?
    public var parameter: String?
    public var code: FieldProblemCode
    public var message: String

    public init(pointer: String, code: FieldProblemCode, message: String) {
        self.pointer = pointer
        self.code = code
        self.message = message
    }

    public init(parameter: String, code: FieldProblemCode, message: String) {
        self.parameter = parameter
        self.code = code
        self.message = message
    }
}
