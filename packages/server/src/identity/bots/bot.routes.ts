import { type Bot, changeBot, createBot, deleteBot, listBots, showBot } from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { readIntegerCursor, readLimit, route } from '../../http/index.ts';
import type { Access } from '../access/access.ts';
import { replayWith } from '../access/replay.ts';
import type { BotService } from './bot.service.ts';
import { botIssues } from './handoff-settings.rules.ts';

const VIEW = { role: 'viewer', scope: 'read' } as const;
const EDIT = { role: 'editor' } as const;
const OWN = { role: 'owner' } as const;

const created = (bot: Bot) => ({ status: 201, body: bot }) as const;

export interface BotRoutesDeps {
  readonly access: Access;
  readonly bots: BotService;
}

export function registerBotOperations(app: FastifyInstance, { access, bots }: BotRoutesDeps): void {
  route(app, createBot, {
    caller: access.user,
    replay: replayWith(access, EDIT),
    rules: botIssues,
    handle: async ({ caller, params, body, once }) => {
      const space = await access.space(caller, params.spaceId, EDIT);
      const stored = once.store((bot: Bot) => ({ spaceId: bot.spaceId, response: created(bot) }));
      return created(await bots.create(space, caller, body, stored));
    },
  });
  route(app, listBots, {
    caller: access.caller,
    handle: async ({ caller, params, query }) => {
      const after = readIntegerCursor(query.after);
      const space = await access.space(caller, params.spaceId, VIEW);
      return { status: 200, body: await bots.list(space, after, readLimit(query.limit)) };
    },
  });
  route(app, showBot, {
    caller: access.caller,
    handle: async ({ caller, params }) => {
      const bot = await access.bot(caller, params.botId, VIEW);
      return { status: 200, body: await bots.show(bot) };
    },
  });
  route(app, changeBot, {
    caller: access.user,
    rules: botIssues,
    handle: async ({ caller, params, body }) => {
      const bot = await access.bot(caller, params.botId, EDIT);
      return { status: 200, body: await bots.change(bot, body) };
    },
  });
  route(app, deleteBot, {
    caller: access.user,
    handle: async ({ caller, params }) => {
      await bots.remove(await access.bot(caller, params.botId, OWN));
      return { status: 204 };
    },
  });
}
