package import Identity

/// A request of an operator who is known: the only context that handlers of operators' routes get.
package struct OperatorContext: Sendable {
    package let caller: Operator
    /// For answers that are read while they are written.
    package let answers: AnswerMemory
    let parameters: PathParameters
}
