/** The parts of Eleventy that the build uses. Eleventy contains no declarations of its own. */
declare module '@11ty/eleventy' {
  /** A token of markdown-it. */
  export interface Token {
    readonly type: string;
    tag: string;
    attrs: [string, string][] | null;
    readonly content: string;
    readonly info: string;
    children: Token[] | null;
    meta: { readonly text: string } | null;
    attrGet(name: string): string | null;
    attrSet(name: string, value: string): void;
  }

  type Rule = (
    tokens: readonly Token[],
    index: number,
    options: object,
    env: object,
    renderer: { renderToken(tokens: readonly Token[], index: number, options: object): string },
  ) => string;

  /** The Markdown library of Eleventy, markdown-it. */
  export interface MarkdownLibrary {
    readonly renderer: { readonly rules: Record<string, Rule> };
    readonly core: {
      readonly ruler: {
        push(
          name: string,
          rule: (state: {
            readonly tokens: readonly Token[];
            /** The data of the page. */
            readonly env: { readonly page: { readonly inputPath: string } };
          }) => void,
        ): void;
      };
    };
  }

  export interface EleventyConfig {
    readonly ignores: Set<string>;
    setTemplateFormats(formats: readonly string[]): void;
    /** Adds a page that is not a file of the input folder. */
    addTemplate(path: string, content: string, data: Readonly<Record<string, unknown>>): void;
    addGlobalData(name: string, value: unknown): void;
    amendLibrary(name: 'md', change: (markdown: MarkdownLibrary) => void): void;
  }

  export interface RenderedPage {
    readonly url: string;
    readonly inputPath: string;
    readonly content: string;
  }

  // biome-ignore lint/style/noDefaultExport: Eleventy has only a default export.
  export default class Eleventy {
    constructor(
      input: string,
      output: string,
      options: { quietMode: boolean; config: (config: EleventyConfig) => object },
    );
    /** Renders all pages without writing files. */
    toJSON(): Promise<RenderedPage[]>;
  }
}
