import { changeBot, createBot, deleteBot, listBots, showBot } from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { readIntegerCursor, readLimit } from '../../http/index.ts';
import type { Access } from '../access/access.ts';
import { routesOnBot, routesOnSpace } from '../access/checked-routes.ts';
import type { BotService } from './bot.service.ts';
import { botIssues } from './handoff-settings.rules.ts';

const VIEW = { role: 'viewer', scope: 'read' } as const;
const EDIT = { role: 'editor' } as const;

export interface BotRoutesDeps {
  readonly access: Access;
  readonly bots: BotService;
}

export function registerBotOperations(app: FastifyInstance, { access, bots }: BotRoutesDeps): void {
  const rules = botIssues;
  routesOnSpace(app, access, EDIT).create(
    createBot,
    (space, { caller, body }, stored) => bots.create(space, caller, body, stored),
    { rules },
  );
  routesOnSpace(
    app,
    access,
    VIEW,
  )(listBots, (space, { query }) =>
    bots.list(space, readIntegerCursor(query.after), readLimit(query.limit)),
  );
  routesOnBot(app, access, VIEW)(showBot, bots.show);
  routesOnBot(app, access, EDIT)(changeBot, (bot, { body }) => bots.change(bot, body), { rules });
  routesOnBot(app, access, { role: 'owner' })(deleteBot, (bot, { caller }) =>
    bots.remove(bot, caller),
  );
}
