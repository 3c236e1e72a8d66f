import type { List } from '../../http/list.ts';
import type { CreateOptions, RequestOptions } from '../../options.ts';
import type {
  ListQuery,
  NewTool,
  Tool,
  ToolChange,
  ToolPage,
  ToolWithSecret,
} from '../../types.ts';
import { Resource } from '../resource.ts';

/** HTTP tools that the model of a bot may call. */
export class Tools extends Resource {
  /**
   * Creates a tool. Only this response contains the secret that signs its calls.
   *
   * @example
   * const { secret } = await gatehouse.tools.create(botId, {
   *   name: 'cancel_order',
   *   description: 'Cancels an order that has not been shipped.',
   *   url: 'https://shop.example/tools/cancel-order',
   *   inputSchema: { type: 'object', properties: { order: { type: 'string' } }, required: ['order'] },
   * });
   */
  create(botId: number, tool: NewTool, options?: CreateOptions): Promise<ToolWithSecret> {
    return this.api.send('POST! /bots/{botId}/tools', { params: [botId], body: tool }, options);
  }

  /**
   * Lists the tools of a bot.
   *
   * @example
   * for await (const { name, consent } of gatehouse.tools.list(botId)) console.log(name, consent);
   */
  list(botId: number, query?: ListQuery, options?: RequestOptions): List<ToolPage> {
    return this.api.list('GET /bots/{botId}/tools', { params: [botId], query }, options);
  }

  /**
   * Returns a tool.
   *
   * @example
   * const { url, inputSchema } = await gatehouse.tools.get(botId, toolId);
   */
  get(botId: number, toolId: string, options?: RequestOptions): Promise<Tool> {
    return this.api.send('GET /bots/{botId}/tools/{toolId}', { params: [botId, toolId] }, options);
  }

  /**
   * Changes a tool.
   *
   * @example
   * await gatehouse.tools.update(botId, toolId, { consent: false });
   */
  update(
    botId: number,
    toolId: string,
    change: ToolChange,
    options?: RequestOptions,
  ): Promise<Tool> {
    const input = { params: [botId, toolId], body: change } as const;
    return this.api.send('PATCH /bots/{botId}/tools/{toolId}', input, options);
  }

  /**
   * Deletes a tool.
   *
   * @example
   * await gatehouse.tools.delete(botId, toolId);
   */
  delete(botId: number, toolId: string, options?: RequestOptions): Promise<void> {
    const input = { params: [botId, toolId] } as const;
    return this.api.send('DELETE /bots/{botId}/tools/{toolId}', input, options);
  }
}
