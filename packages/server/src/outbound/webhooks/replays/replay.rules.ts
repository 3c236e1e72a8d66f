import type { Replay } from '@gatehouse/contract';
import type { ReplayRow } from './replay.repository.ts';

/** A replay that must be continued. */
export interface RunningReplay {
  /** Identifies the replay among all replays of its subscription. */
  readonly number: number;
  /** Earliest time of receipt, in Unix milliseconds. */
  readonly from: number;
  /** Each matching event up to this position was delivered or has a stored delivery. */
  readonly position: number;
  /** Last position. */
  readonly through: number;
}

export function runningReplay(row: ReplayRow): RunningReplay | null {
  const { replay_from: from, replay_position: position, replay_through: through } = row;
  if (row.replay_state !== 'running' || from === null || position === null || through === null)
    return null;
  return { number: row.replay_number, from, position, through };
}

export function formatReplay(row: ReplayRow): Replay | null {
  const { replay_state: state, replay_from: from, replay_started_at: startedAt } = row;
  if (state === null || from === null || startedAt === null) return null;
  const endedAt = row.replay_ended_at;
  return {
    state,
    from: new Date(from).toISOString(),
    remaining:
      state === 'finished'
        ? 0
        : Math.max(0, (row.replay_through ?? 0) - (row.replay_position ?? 0)),
    startedAt: new Date(startedAt).toISOString(),
    endedAt: endedAt === null ? null : new Date(endedAt).toISOString(),
  };
}
