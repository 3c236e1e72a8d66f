import {
  changeTool,
  createTool,
  deleteTool,
  listTools,
  showTool,
  type ToolWithSecret,
} from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { route } from '../../http/index.ts';
import { type Access, replayOnBot } from '../../identity/index.ts';
import { toolIssues } from './tool.rules.ts';
import type { Tools } from './tool.service.ts';

const EDIT = { role: 'editor' } as const;

export interface ToolRoutesDeps {
  readonly access: Pick<Access, 'user' | 'bot'>;
  readonly tools: Tools;
  /** Returns the problem with the URL of a tool, or `null` if it is permitted. */
  readonly refusalOf: (url: string) => string | null;
}

export function registerToolRoutes(
  app: FastifyInstance,
  { access, tools, refusalOf }: ToolRoutesDeps,
): void {
  const rules = toolIssues(refusalOf);
  route(app, createTool, {
    caller: access.user,
    rules,
    replay: replayOnBot(access, EDIT),
    async handle({ caller, params, body, once }) {
      const bot = await access.bot(caller, params.botId, EDIT);
      const stored = once.store((tool: ToolWithSecret) => ({
        spaceId: tool.spaceId,
        response: created(tool),
      }));
      return created(await tools.create(bot, body, stored));
    },
  });
  route(app, listTools, {
    caller: access.user,
    async handle({ caller, params, query }) {
      const bot = await access.bot(caller, params.botId, EDIT);
      return { status: 200, body: await tools.list(bot, query) };
    },
  });
  route(app, showTool, {
    caller: access.user,
    async handle({ caller, params }) {
      const bot = await access.bot(caller, params.botId, EDIT);
      return { status: 200, body: await tools.show(bot, params.toolId) };
    },
  });
  route(app, changeTool, {
    caller: access.user,
    rules,
    async handle({ caller, params, body }) {
      const bot = await access.bot(caller, params.botId, EDIT);
      return { status: 200, body: await tools.change(bot, params.toolId, body) };
    },
  });
  route(app, deleteTool, {
    caller: access.user,
    async handle({ caller, params }) {
      const bot = await access.bot(caller, params.botId, EDIT);
      await tools.remove(bot, params.toolId);
      return { status: 204 };
    },
  });
}

function created(tool: ToolWithSecret) {
  return { status: 201, body: tool } as const;
}
