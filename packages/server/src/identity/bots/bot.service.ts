import { setTimeout as sleep } from 'node:timers/promises';
import type { Bot, BotChange, ListedBot, NewBot } from '@gatehouse/contract';
import { type Page, toPage } from '../../http/index.ts';
import type { Clock } from '../../lib/scheduling/index.ts';
import type { JoinedWrites, Semaphores } from '../../storage/ports/index.ts';
import { forbidden, roleOnBot, roleOnSpace } from '../access/access.errors.ts';
import type { BotAccess, SpaceAccess, UserCaller } from '../access/access.ts';
import { lastBot } from '../spaces/space.errors.ts';
import { formatBot } from '../spaces/space.rules.ts';
import type { BotRepository, BotWrite } from './bot.repository.ts';

/** Interval between attempts while another bot of the space is being deleted. */
const POLL_MS = 100;

export interface BotServiceDeps {
  readonly repository: BotRepository;
  readonly semaphores: Semaphores;
  readonly clock: Clock;
}

export interface BotService {
  /** Creates a bot. The owners of the space own it, and the caller gets the highest role that the caller has in the space. */
  create(
    space: SpaceAccess,
    caller: UserCaller,
    bot: NewBot,
    joined: JoinedWrites<Bot>,
  ): Promise<Bot>;
  /** Returns the bots on which a user has a role, with this role. Administrators and API keys get all bots. */
  list(space: SpaceAccess, after: number | null, limit: number): Promise<Page<ListedBot>>;
  /** Throws 403 if the bot has been deleted, as does `change`. */
  show(bot: BotAccess): Promise<Bot>;
  change(bot: BotAccess, change: BotChange): Promise<Bot>;
  /** Throws 409 `spaces.last-bot` for the last bot of a space, because links need an answering bot. */
  remove(bot: BotAccess, caller: UserCaller): Promise<void>;
}

export function createBotService({ repository, semaphores, clock }: BotServiceDeps): BotService {
  /** Waits until no other bot of the space is being deleted. Returns a function that permits the next deletion. */
  async function acquireDeletion({ spaceId }: BotAccess): Promise<() => Promise<void>> {
    for (;;) {
      const key = `bot deletion ${spaceId}`;
      const acquisition = await semaphores.acquire([{ key, permits: 1 }]);
      if (acquisition.acquired) return acquisition.release;
      await sleep(POLL_MS);
    }
  }

  return {
    create: async (space, caller, given, joined) => {
      const row = { suggestions: '[]', ...toWrite(given), name: given.name };
      const bot = await repository.insert(space, row, caller.userId, clock(), (stored) =>
        joined(formatBot(stored)),
      );
      if (bot === undefined) throw forbidden(roleOnSpace('editor'));
      return formatBot(bot);
    },
    list: async (space, after, limit) => {
      const { caller } = space;
      if (caller.kind === 'user' && !caller.admin) {
        const own = await repository.listOfUser(space, caller.userId, after, limit + 1);
        return toPage(own, limit, cursorOf, (row) => ({ ...formatBot(row), role: row.role }));
      }
      const role = caller.kind === 'user' ? 'owner' : null;
      const all = await repository.list(space, after, limit + 1);
      return toPage(all, limit, cursorOf, (row) => ({ ...formatBot(row), role }));
    },
    show: async (bot) => {
      const found = await repository.find(bot);
      if (found === undefined) throw forbidden(roleOnBot('viewer'));
      return formatBot(found);
    },
    change: async (bot, change) => {
      const changed = await repository.change(bot, toWrite(change));
      if (changed === undefined) throw forbidden(roleOnBot('editor'));
      return formatBot(changed);
    },
    remove: async (bot, caller) => {
      // Otherwise the contents of the last bot could be deleted before its deletion is rejected.
      const release = await acquireDeletion(bot);
      try {
        if ((await repository.remove(bot, caller)) === 'last') throw lastBot();
      } finally {
        await release();
      }
    },
  };
}

const cursorOf = ({ id }: { readonly id: number }) => String(id);

function toWrite(given: BotChange): BotWrite {
  const { name, systemPrompt, greeting, suggestions, model, handoff, contact } = given;
  return {
    ...(name === undefined ? {} : { name }),
    ...(systemPrompt === undefined ? {} : { system_prompt: systemPrompt }),
    ...(greeting === undefined ? {} : { greeting }),
    ...(suggestions === undefined ? {} : { suggestions: JSON.stringify(suggestions) }),
    ...(model === undefined ? {} : { model }),
    ...(handoff === undefined ? {} : { handoff: handoff && JSON.stringify(handoff) }),
    ...(contact === undefined ? {} : { contact }),
  };
}
