import type { FilterRecord } from '../evaluate/record.ts';
import type { FilterNode } from '../language/ast.ts';
import { compileNode } from './compile.ts';
import { CurrentDocument } from './current-document.ts';
import { WorkMeter } from './work-meter.ts';

/** An evaluation that pauses at each `yield` and returns its result. */
export type EvaluationSteps = Generator<undefined, boolean>;

/**
 * Evaluates a filter in steps that take at most a few milliseconds, so that the caller can do other work between them or stop. The
 * result agrees with `evaluate`.
 *
 * @param record not modified until the evaluation ends.
 */
export function* evaluateInSteps(filter: FilterNode, record: FilterRecord): EvaluationSteps {
  const document = new CurrentDocument(new WorkMeter(() => undefined));
  const steps = yield* compileInSteps(filter, document);
  document.set({ ...record, metadata: '', parse: () => record.metadata });
  return yield* steps();
}

function* compileInSteps(
  node: FilterNode,
  document: CurrentDocument,
): Generator<undefined, () => EvaluationSteps> {
  switch (node.kind) {
    case 'and':
    case 'or': {
      const members: (() => EvaluationSteps)[] = [];
      for (const member of node.members) members.push(yield* compileInSteps(member, document));
      return () => testInSteps(members, node.kind === 'or');
    }
    case 'not': {
      const member = yield* compileInSteps(node.member, document);
      return function* () {
        return !(yield* member());
      };
    }
    default: {
      const test = compileNode(node, document);
      yield;
      return function* () {
        const result = test();
        yield;
        return result;
      };
    }
  }
}

/** @param decisive result of a member that makes the other members irrelevant. */
function* testInSteps(
  members: readonly (() => EvaluationSteps)[],
  decisive: boolean,
): EvaluationSteps {
  for (const member of members) if ((yield* member()) === decisive) return decisive;
  return !decisive;
}
