import type { RequestOptions } from '../../options.ts';
import { Resource } from '../resource.ts';

/** Pages and scripts of the chat widget. Needs no credential. */
export class Widget extends Resource {
  /**
   * Returns the page that opens an access link.
   *
   * @example
   * const html = await gatehouse.widget.page(linkToken);
   */
  page(token: string, options?: RequestOptions): Promise<string> {
    return this.api.text('GET /widget/{token}', { params: [token] }, options);
  }

  /**
   * Returns a script or style sheet of the widget.
   *
   * @example
   * const html = await gatehouse.widget.page(linkToken);
   * const [, name = ''] = /widget\/assets\/([\w.-]+)/.exec(html) ?? [];
   * const script = await gatehouse.widget.asset(name);
   */
  asset(name: string, options?: RequestOptions): Promise<string> {
    return this.api.text('GET /widget/assets/{name}', { params: [name] }, options);
  }

  /**
   * Returns the embed script.
   *
   * @example
   * const script = await gatehouse.widget.loader();
   */
  loader(options?: RequestOptions): Promise<string> {
    return this.api.text('GET /embed.js', {}, options);
  }

  /**
   * Returns the part of the embed script that opens the chat.
   *
   * @example
   * const script = await gatehouse.widget.opening();
   */
  opening(options?: RequestOptions): Promise<string> {
    return this.api.text('GET /embed-chat.js', {}, options);
  }
}
