import type { List } from '../../http/list.ts';
import type { CreateOptions, RequestOptions } from '../../options.ts';
import type { Bot, BotChange, BotPage, ListQuery, NewBot } from '../../types.ts';
import { Resource } from '../resource.ts';

/** Bots: the names, greetings and instructions of assistants. */
export class Bots extends Resource {
  /**
   * Creates a bot.
   *
   * @example
   * const { id } = await gatehouse.bots.create({ name: 'Shop assistant', greeting: 'Hello!' });
   */
  create(bot: NewBot, options?: CreateOptions): Promise<Bot> {
    return this.api.send('POST! /spaces/{spaceId}/bots', { body: bot }, options);
  }

  /**
   * Lists the bots of a space with the roles of the caller on them.
   *
   * @example
   * for await (const { id, name, role } of gatehouse.bots.list()) console.log(id, name, role);
   */
  list(query?: ListQuery, options?: RequestOptions): List<BotPage> {
    return this.api.list('GET /spaces/{spaceId}/bots', { query }, options);
  }

  /**
   * Returns a bot.
   *
   * @example
   * const { systemPrompt } = await gatehouse.bots.get(botId);
   */
  get(botId: number, options?: RequestOptions): Promise<Bot> {
    return this.api.send('GET /bots/{botId}', { params: [botId] }, options);
  }

  /**
   * Changes a bot.
   *
   * @example
   * await gatehouse.bots.update(botId, { suggestions: ['Where is my order?'] });
   */
  update(botId: number, change: BotChange, options?: RequestOptions): Promise<Bot> {
    return this.api.send('PATCH /bots/{botId}', { params: [botId], body: change }, options);
  }

  /**
   * Deletes a bot.
   *
   * @example
   * const { id } = await gatehouse.bots.create({ name: 'Trial' });
   * await gatehouse.bots.delete(id);
   */
  delete(botId: number, options?: RequestOptions): Promise<void> {
    return this.api.send('DELETE /bots/{botId}', { params: [botId] }, options);
  }
}
