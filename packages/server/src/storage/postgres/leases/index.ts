import type { Hints } from '../../ports/hints.ts';
import type { Leases, RoleWork, Term } from '../../ports/leases.ts';
import type { Pool } from '../pool.ts';
import { HeldRole } from './held-role.ts';
import { createLeaseTable, type Held, isAnyHeld } from './lease-table.ts';

const RENEW_EVERY_MS = 1000;
/** For each role that a process holds it leaves others so much time to take the next. */
const PATIENCE_MS = 100;
const MOST_PATIENCE_MS = 500;
/** The topic of hints that a role was given back. */
const GIVEN_BACK = 'role given back';

export interface LeasesOptions {
  /** For the leases alone, so that they are renewed however busy the store is. */
  readonly pool: Pool;
  readonly hints: Hints;
  /** Of this run of the process; no other has it. */
  readonly holder: string;
  /** Hears that the database could not be asked, once until it can be again, and of work that could not begin or end. */
  readonly onError: (error: unknown) => void;
}

/**
 * Roles that are held in the database, by its clock. One round a second renews all that this process holds, asks
 * for what nobody holds, and lets its work look for what others have left to do. To be disposed of after all roles.
 */
export function createLeases({
  pool,
  hints,
  holder,
  onError,
}: LeasesOptions): Leases & AsyncDisposable {
  const table = createLeaseTable(pool, holder);
  const now = () => performance.now();
  const roles = new Set<HeldRole<RoleWork>>();
  let timer: NodeJS.Timeout | undefined;
  let round: Promise<void> | null = null;
  let closed = false;
  let isFailing = false;

  async function renew(): Promise<void> {
    const held = [...roles].flatMap((role) =>
      role.held === null ? [] : [{ role, held: role.held }],
    );
    if (held.length === 0) return;
    const asked = now();
    const renewed = await table.renew(held.map((one) => one.held));
    for (const { role, held: lease } of held) {
      if (!renewed.has(role.name)) role.lose(lease);
      else if (role.held === lease) role.renewed(asked);
    }
  }

  async function askForMore(): Promise<void> {
    const wanted = [...roles].filter((role) => role.isWanted);
    if (wanted.length === 0) return;
    const free = new Set(await table.free(wanted.map(({ name }) => name)));
    for (const role of wanted) {
      role.freeSince = free.has(role.name) ? (role.freeSince ?? now()) : null;
      if (!role.isWanted || role.freeSince === null) continue;
      if (now() - role.freeSince >= patience()) await take(role);
    }
  }

  async function take(role: HeldRole<RoleWork>): Promise<void> {
    const asked = now();
    const held: Held | null = await table.take(role.name);
    // Its work begins beside the next rounds, which renew it.
    if (held !== null) void role.gained(held, asked);
  }

  function patience(): number {
    const held = [...roles].filter((role) => role.held !== null).length;
    return Math.min(MOST_PATIENCE_MS, held * PATIENCE_MS);
  }

  async function goRound(): Promise<void> {
    try {
      await renew();
      await askForMore();
      isFailing = false;
    } catch (error) {
      if (!isFailing) onError(error);
      isFailing = true;
    }
    for (const role of roles) role.work?.look('');
  }

  /** The next round, which begins now or when the one before is over. */
  async function nextRound(): Promise<void> {
    clearTimeout(timer);
    if (closed) return;
    const before = round ?? Promise.resolve();
    const next: Promise<void> = before.then(goRound).finally(() => {
      if (round !== next) return;
      round = null;
      const isPatient = [...roles].some((role) => role.isWanted && role.freeSince !== null);
      if (!closed) timer = setTimeout(nextRound, isPatient ? PATIENCE_MS : RENEW_EVERY_MS);
    });
    round = next;
    await next;
  }

  hints.on(GIVEN_BACK, (name) => {
    if ([...roles].some((role) => role.name === name && role.isWanted)) void nextRound();
  });

  return {
    role: <Work extends RoleWork>(name: string, begin: (term: Term) => Promise<Work>) => {
      const role = new HeldRole<Work>(name, {
        begin,
        onStart: () => {
          roles.add(role);
          return nextRound();
        },
        onTell: (hint) => hints.tell(topicOf(name), hint),
        giveBack: async (held) => {
          await table.giveBack(held);
          hints.tell(GIVEN_BACK, name);
        },
        onDisposed: () => roles.delete(role),
        onError,
        now,
      });
      hints.on(topicOf(name), (hint) => role.work?.look(hint));
      return role;
    },
    isAnyHeld: () => isAnyHeld(pool),
    roles: () => new Map([...roles].map(({ name, held }) => [name, held !== null])),
    [Symbol.asyncDispose]: async () => {
      closed = true;
      clearTimeout(timer);
      await round;
    },
  };
}

/** Of hints to whoever holds a role. */
function topicOf(role: string): string {
  return `role ${role}`;
}
