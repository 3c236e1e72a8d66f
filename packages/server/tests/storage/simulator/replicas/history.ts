import { type Seeded, seeded } from '../../../support/seeded.ts';
import { type Operation, OperationGenerator } from '../history.ts';

/** Number of replicas that can run at the same time. */
export const REPLICAS = 3;

type Change = 'start' | 'stop' | 'kill' | 'pause' | 'continue' | 'disconnect' | 'connect';

/** A step of a history. A step that does not fit the state of its replica has no effect. */
export type Step =
  /** A client sends a request to a replica, or time passes. */
  | { readonly kind: 'operation'; readonly replica: number; readonly operation: Operation }
  /** Time passes, until the last timer that is due has run, but none of the work that it starts. */
  | { readonly kind: 'wait-for-timer'; readonly ms: number }
  /** `pause` suspends the process. `disconnect` holds the messages between the replica and the database back. */
  | { readonly kind: Change; readonly replica: number }
  /** Ends all sessions of the database and rolls their transactions back. */
  | { readonly kind: 'restart-database' }
  /** Moves the clock of the database. */
  | { readonly kind: 'jump-database'; readonly ms: number };

export interface ReplicaHistory {
  readonly seed: number;
  readonly steps: readonly Step[];
}

export function generateReplicaHistory(seed: number): ReplicaHistory {
  const random = seeded(seed);
  const operations = new OperationGenerator(random);
  const steps: Step[] = [
    { kind: 'start', replica: 0 },
    { kind: 'start', replica: 1 },
  ];
  const length = 10 + random.below(40);
  while (steps.length < length) steps.push(...stepsOf(random, operations));
  return { seed, steps };
}

function stepsOf(random: Seeded, operations: OperationGenerator): readonly Step[] {
  const replica = random.below(REPLICAS);
  const kind = random.below(40);
  if (kind < 30) return [operationStep(random, operations)];
  if (kind < 31) return [{ kind: 'restart-database' }];
  if (kind < 32) return [{ kind: 'jump-database', ms: random.pick([-4000, -1000, 1000, 6000]) }];
  if (kind < 34) return [{ kind: random.pick(['start', 'stop'] as const), replica }];
  return faultSteps(random, operations, replica);
}

function operationStep(random: Seeded, operations: OperationGenerator): Step {
  return { kind: 'operation', replica: random.below(REPLICAS), operation: operations.next() };
}

/** A fault while statements are on their way, which often lasts longer than a lease, and its repair. */
function faultSteps(random: Seeded, operations: OperationGenerator, replica: number): Step[] {
  const [fault, repair] = random.pick([
    ['kill', 'start'],
    ['pause', 'continue'],
    ['disconnect', 'connect'],
  ] as const);
  const wait = (ms: number): Step => ({
    kind: 'operation',
    replica,
    operation: { kind: 'wait', ms },
  });
  const run: Step = {
    kind: 'operation',
    replica,
    operation: { kind: 'run', tasks: random.below(40) },
  };
  const others = Array.from({ length: random.below(4) }, () => operationStep(random, operations));
  return [
    { kind: 'wait-for-timer', ms: 1 + random.below(1500) },
    ...(random.below(2) === 0 ? [{ ...run, operation: operations.append() }] : []),
    run,
    { kind: fault, replica },
    ...others,
    wait(random.pick([100, 3000, 5500, 6500, 7500, 12_000])),
    { kind: repair, replica },
  ];
}
