import { type History, QUIET_SPACE, SPACE_A, SPACE_B } from './history.ts';

/**
 * A sync fails while the identity index is maintained, and the client sends the events again to the next process. SQLite recovers the
 * unsynced commit from the page cache, so the events were acknowledged as duplicates, and a power cut lost them.
 */
const FAILED_SYNC: History = {
  seed: 421,
  rounds: [
    {
      operations: [
        {
          kind: 'append',
          repeats: 0,
          batches: [{ space: SPACE_A, ids: ['e-1', 'e-2', 'e-3'] }],
        },
        { kind: 'run', tasks: 10 },
        {
          kind: 'append',
          repeats: 0,
          batches: [
            { space: SPACE_B, ids: ['e-4', 'e-5', 'e-6'] },
            { space: SPACE_A, ids: ['e-7', 'e-8', 'e-9'] },
          ],
        },
        {
          kind: 'append',
          repeats: 0,
          batches: [{ space: SPACE_A, ids: ['e-13', 'e-14', 'e-5'] }],
        },
        { kind: 'erase', space: SPACE_A, subject: 'subject-0' },
        { kind: 'run', tasks: 4 },
        { kind: 'append', repeats: 0, batches: [{ space: SPACE_A, ids: ['e-18'] }] },
      ],
      faults: [{ kind: 'sync-fails', at: 28, until: 58 }],
      end: 'kill',
      settles: true,
      survival: 90,
    },
    { operations: [], faults: [], end: 'power-cut', settles: true, survival: 90 },
  ],
};

/**
 * A process is killed at some step of an append. The client sends the events again to the next process, and after the response the power
 * fails. If the kill was between the write and the sync of the commit, the events were acknowledged as duplicates and lost.
 */
function killedAt(step: number): History {
  const append = {
    kind: 'append',
    repeats: 0,
    batches: [{ space: QUIET_SPACE, ids: ['e-1', 'e-2', 'e-3'] }],
  } as const;
  const fault = { kind: 'kill', at: step, until: step } as const;
  return {
    seed: step,
    rounds: [
      { operations: [append], faults: [fault], end: 'kill', settles: true, survival: 100 },
      { operations: [append], faults: [], end: 'power-cut', settles: true, survival: 0 },
    ],
  };
}

/**
 * Retention runs before the consumer stores its first cursor in the space. It waited only for stored cursors, so it removed the event
 * before the consumer had read it.
 */
const NO_CURSOR_YET: History = {
  seed: 2_982_895_609,
  rounds: [
    {
      operations: [
        { kind: 'append', repeats: 0, batches: [{ space: SPACE_B, ids: ['e-46'] }] },
        { kind: 'retain', space: SPACE_B, bytes: 1 },
      ],
      faults: [],
      end: 'kill',
      settles: true,
      survival: 100,
    },
  ],
};

/**
 * Syncs fail, the process is killed, and the power fails while the next process runs a checkpoint. The operating system regarded the log as
 * written, so no sync wrote it. The database was half changed, and the log to repair it was incomplete.
 */
function cutAfterFailedSync(firstSync: number, kill: number): History {
  return {
    seed: firstSync * 1000 + kill,
    rounds: [
      {
        operations: [
          { kind: 'append', repeats: 0, batches: [{ space: SPACE_A, ids: ['e-25'] }] },
          { kind: 'add-document', id: 'd-1' },
        ],
        faults: [{ kind: 'sync-fails', at: firstSync, until: firstSync + 30 }],
        end: 'kill',
        settles: true,
        survival: 50,
      },
      {
        operations: [],
        faults: [{ kind: 'kill', at: kill, until: kill }],
        end: 'power-cut',
        settles: true,
        survival: 20,
      },
    ],
  };
}

/**
 * One sync fails. Either it is the sync of a commit, and maintenance of the identity index then ran a checkpoint without writing the log
 * again. Or it is the sync of a checkpoint during maintenance, and SQLite did not report the failure. Then the power fails during the
 * next checkpoint.
 *
 * @param later number of steps between the failed sync and the power cut.
 * @param variant selects the sectors that survive.
 */
function cutDuringMaintenance(step: number, later: number, variant: number): History {
  const operations = Array.from({ length: 14 }, (_, index) => [
    {
      kind: 'append' as const,
      repeats: 0,
      batches: [{ space: SPACE_A, ids: [0, 1, 2].map((at) => `e-${3 * index + at}`) }],
    },
    { kind: 'run' as const, tasks: 40 },
  ]).flat();
  const faults = [
    { kind: 'sync-fails', at: step, until: step },
    { kind: 'kill', at: step + later, until: step + later },
  ] as const;
  return {
    seed: step * 100 + later + variant * 100_000,
    rounds: [{ operations, faults, end: 'power-cut', settles: false, survival: 30 }],
  };
}

/**
 * A reader keeps a checkpoint from copying the whole log. A sync of the database fails, either after this checkpoint or in the next one,
 * when the reader has ended. SQLite did not copy the pages of the first checkpoint again, and the log was overwritten. Then the power
 * failed.
 *
 * @param variant selects the sectors that survive the failed sync.
 */
function cutAfterPartialCheckpoint(step: number, variant: number): History {
  const append = (ids: readonly number[]) =>
    ids.flatMap((id) => [
      {
        kind: 'append' as const,
        repeats: 0,
        batches: [{ space: QUIET_SPACE, ids: [`e-${id}`] }],
      },
      { kind: 'run' as const, tasks: 20 },
    ]);
  return {
    // A multiple of four, so that the integrity of the database is checked.
    seed: 4 * (step + variant * 1000),
    rounds: [
      {
        operations: [
          // The earlier checkpoint copies pages of a document, which the later events do not change.
          { kind: 'add-document', id: 'd-1' },
          { kind: 'run', tasks: 40 },
          { kind: 'open-snapshot' },
          ...append([1, 2, 3, 4, 5, 6]),
          { kind: 'close-snapshot' },
          ...append([7]),
          { kind: 'wait', ms: 1100 },
          ...append([8, 9, 10, 11, 12, 13]),
        ],
        faults: [{ kind: 'sync-fails', at: step, until: step }],
        end: 'power-cut',
        settles: false,
        survival: 0,
      },
    ],
  };
}

/**
 * While a reader uses a snapshot, the log becomes so large that another thread copies it. The thread copies the pages that the reader
 * permits. The sync of the database fails, and the operating system drops the pages. Before the writer learned of the failure, it read
 * their earlier content from the database. Then it stored events a second time, or its maintenance did not end.
 */
function dropDuringCopy(step: number): History {
  const append = (space: string, ids: readonly number[]) => ({
    kind: 'append' as const,
    repeats: 0,
    batches: [{ space, ids: ids.map((id) => `e-${id}`) }],
  });
  return {
    seed: 3_000_000 + step,
    rounds: [
      {
        operations: [
          append(SPACE_B, [1, 2, 3, 4, 5, 6, 7, 8]),
          append(SPACE_B, [9, 10, 11]),
          { kind: 'run', tasks: 13 },
          append(SPACE_A, [12, 13, 14, 15]),
          { kind: 'run', tasks: 22 },
        ],
        faults: [],
        end: 'kill',
        settles: false,
        survival: 0,
      },
      {
        operations: [
          { kind: 'open-snapshot' },
          { kind: 'run', tasks: 7 },
          append(SPACE_B, [16, 17, 18, 19, 20, 21, 22, 23]),
          ...[24, 25, 26, 27].map((id) => append(SPACE_A, [id])),
          { kind: 'create-link', key: 'k-1', number: 5 },
        ],
        faults: [{ kind: 'sync-drops', at: step, until: step }],
        end: 'power-cut',
        settles: true,
        survival: 0,
      },
    ],
  };
}

/**
 * The clock is set back by an hour while deliveries wait, and then the text of a delivery cannot be read because the disk has failed. The
 * last attempt was in the future, so the delivery was due again at once, and the process read the text again and again.
 */
const FAILURE_AFTER_SET_BACK: History = {
  seed: 3_837_217_339,
  rounds: [
    { operations: [], faults: [], end: 'kill', settles: true, survival: 90 },
    {
      operations: [{ kind: 'target', status: 500 }],
      faults: [],
      end: 'power-cut',
      settles: true,
      survival: 0,
    },
    {
      operations: [
        { kind: 'add-document', id: 'd-2' },
        {
          kind: 'append',
          repeats: 0,
          batches: [
            { space: QUIET_SPACE, ids: ['e-15'] },
            { space: SPACE_B, ids: ['e-17'] },
          ],
        },
        { kind: 'wait', ms: 3000 },
        { kind: 'add-document', id: 'd-3' },
        { kind: 'open-snapshot' },
      ],
      faults: [],
      end: 'stop',
      settles: true,
      survival: 50,
    },
    {
      operations: [
        { kind: 'erase', space: QUIET_SPACE, subject: 'subject-0' },
        { kind: 'run', tasks: 8 },
        {
          kind: 'append',
          repeats: 0,
          batches: [
            {
              space: SPACE_A,
              ids: ['e-22', 'e-1', 'e-23', 'e-24', 'e-25', 'e-26', 'e-27', 'e-28'],
            },
            { space: SPACE_A, ids: ['e-29'] },
          ],
        },
        { kind: 'jump', ms: -3_600_000 },
        { kind: 'append', repeats: 0, batches: [{ space: SPACE_B, ids: ['e-12'] }] },
        { kind: 'run', tasks: 9 },
        { kind: 'append', repeats: 0, batches: [{ space: SPACE_A, ids: ['e-30'] }] },
      ],
      faults: [{ kind: 'kill', at: 67, until: 67 }],
      end: 'kill',
      settles: true,
      survival: 90,
    },
  ],
};

/** Number of steps of a process that appends one batch. */
const STEPS = 40;

export const REGRESSIONS: readonly History[] = [
  FAILED_SYNC,
  NO_CURSOR_YET,
  ...Array.from({ length: STEPS }, (_, index) => killedAt(index + 1)),
  ...[14, 19, 26].flatMap((sync) =>
    Array.from({ length: 10 }, (_, index) => cutAfterFailedSync(sync, 2 * index + 2)),
  ),
  // The step at which the sync matters moves when the code changes, so the neighbouring steps are tried as well.
  ...Array.from({ length: 11 }, (_, index) => index + 200).flatMap((step) =>
    [12, 13].flatMap((later) =>
      Array.from({ length: 6 }, (_, variant) => cutDuringMaintenance(step, later, variant)),
    ),
  ),
  ...Array.from({ length: 55 }, (_, index) => index + 75).flatMap((step) =>
    [1, 2].map((variant) => cutAfterPartialCheckpoint(step, variant)),
  ),
  ...Array.from({ length: 21 }, (_, index) => dropDuringCopy(index + 45)),
  FAILURE_AFTER_SET_BACK,
];
