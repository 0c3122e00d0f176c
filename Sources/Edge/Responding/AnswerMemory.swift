import Identity
import ParleyWire

/// What answers to one caller may take until they are taken.
package struct AnswerMemory: Sendable {
    /// Answers up to this size are what the connections' own buffers hold in any case.
    private static let uncounted = 64 * 1_024

    let budget: CallerBudget
    let caller: RateSubject

    /// Takes as many bytes until nobody holds the part any more; nil where they count for nothing.
    ///
    /// - Throws: `overloaded` where there is no room for them.
    package func take(_ bytes: Int) throws(HTTPProblem) -> CallerBudget.Part? {
        guard bytes > Self.uncounted else { return nil }
        do {
            return try budget.part(bytes, for: caller)
        } catch {
            throw Self.overloaded(error)
        }
    }

    private static func overloaded(_ refusal: CallerBudget.Refusal) -> HTTPProblem {
        switch refusal {
        case .all: HTTPProblem(.overloaded, "Too many large answers wait for those who asked for them.")
        case .caller: HTTPProblem(.overloaded, "Too many large answers wait for you to take them.")
        }
    }
}
