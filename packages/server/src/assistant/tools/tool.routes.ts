import { changeTool, createTool, deleteTool, listTools, showTool } from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { type Access, routesOnBot } from '../../identity/index.ts';
import { toolIssues } from './tool.rules.ts';
import type { Tools } from './tool.service.ts';

export interface ToolRoutesDeps {
  readonly access: Pick<Access, 'caller' | 'user' | 'bot'>;
  readonly tools: Tools;
  /** Returns the problem with the URL of a tool, or `null` if it is permitted. */
  readonly refusalOf: (url: string) => string | null;
}

export function registerToolRoutes(
  app: FastifyInstance,
  { access, tools, refusalOf }: ToolRoutesDeps,
): void {
  const rules = toolIssues(refusalOf);
  const edit = routesOnBot(app, access, { role: 'editor' });
  edit.create(createTool, (bot, { body }, stored) => tools.create(bot, body, stored), { rules });
  edit(listTools, (bot, { query }) => tools.list(bot, query));
  edit(showTool, (bot, { params }) => tools.show(bot, params.toolId));
  edit(changeTool, (bot, { params, body }) => tools.change(bot, params.toolId, body), { rules });
  edit(deleteTool, (bot, { params }) => tools.remove(bot, params.toolId));
}
