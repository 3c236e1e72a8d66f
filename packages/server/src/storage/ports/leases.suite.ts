import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from './database.ts';
import type { Leases, Role, RoleWork, Term } from './leases.ts';
import type { WriteTogether } from './write-together.ts';

/** A process's store, opened for the suite. */
export interface LeasesUnderTest extends AsyncDisposable {
  readonly leases: Leases;
  readonly db: Database;
  readonly writeTogether: WriteTogether;
}

/** Work that notes what becomes of it. */
export interface NotedWork extends RoleWork {
  readonly term: Term;
}

let roles = 0;

/** A role that nobody else has asked for. */
export function newRole(): string {
  roles += 1;
  return `role-${roles}`;
}

/** A role whose work notes when it begins, looks and ends. */
export function noted(leases: Leases, name: string, notes: string[]): Role<NotedWork> {
  return leases.role(name, async (term) => {
    notes.push('begun');
    return {
      term,
      look: (hint) => {
        if (hint !== '') notes.push(`looked at ${hint}`);
      },
      end: async () => {
        await sleep(1);
        notes.push('ended');
      },
    };
  });
}

export async function until(what: string, condition: () => boolean): Promise<void> {
  for (let tries = 0; !condition(); tries += 1) {
    assert.ok(tries < 3000, `waited in vain: ${what}`);
    await sleep(10);
  }
}

/** What every store's leases do, also where one process is all there is. */
export function leasesSuite(
  name: string,
  skip: string | false,
  open: () => Promise<LeasesUnderTest>,
): void {
  describe(`leases on ${name}`, { skip }, () => {
    let opened: LeasesUnderTest;
    before(async () => {
      opened = await open();
    });
    after(() => opened[Symbol.asyncDispose]());

    test('work begins when its role is started, and ends with it', async () => {
      const notes: string[] = [];
      const role = noted(opened.leases, newRole(), notes);
      role.tell('too early');
      assert.deepEqual(notes, []);
      await role.start();
      assert.deepEqual(notes, ['begun']);
      assert.ok(role.work?.term.isHeld());
      role.tell('here');
      assert.deepEqual(notes, ['begun', 'looked at here']);
      await role[Symbol.asyncDispose]();
      assert.deepEqual(notes, ['begun', 'looked at here', 'ended']);
    });

    test('which roles it holds a process can say', async () => {
      const [name, other] = [newRole(), newRole()];
      await using role = noted(opened.leases, name, []);
      await role.start();
      await using _ = noted(opened.leases, other, []);
      const roles = opened.leases.roles();
      assert.deepEqual([roles.get(name), roles.get(other)], [true, undefined]);
    });

    test('whether anybody holds a role is known to whoever asks', async () => {
      await using role = noted(opened.leases, newRole(), []);
      await role.start();
      assert.equal(await opened.leases.isAnyHeld(), true);
    });

    test('a role that was never started is disposed of', async () => {
      await noted(opened.leases, newRole(), [])[Symbol.asyncDispose]();
    });

    test('a role that was given back is there to be taken again', async () => {
      const [name, notes]: [string, string[]] = [newRole(), []];
      for (let turn = 0; turn < 3; turn += 1) {
        await using role = noted(opened.leases, name, notes);
        await role.start();
      }
      assert.deepEqual(notes, ['begun', 'ended', 'begun', 'ended', 'begun', 'ended']);
    });

    test('who holds a role writes behind its fence', async () => {
      await using role = noted(opened.leases, newRole(), []);
      await role.start();
      const { term } = role.work ?? assert.fail('nobody holds it');
      const space = { id: newRole(), name: 'a', created_at: 1 };
      const insert = opened.db.insertInto('spaces').values(space);
      await opened.writeTogether([...term.fence, insert]);
      const find = opened.db.selectFrom('spaces').select('id').where('id', '=', space.id);
      assert.equal((await find.execute()).length, 1);
    });
  });
}
