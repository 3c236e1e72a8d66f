import { ROBOT_NAME } from './robots.rules.ts';

/** Directives of a page for robots, in `<meta name="robots">` or `X-Robots-Tag`. */
export interface RobotsDirectives {
  /** The page must not become a document. */
  readonly noindex: boolean;
  /** The links of the page must not be followed. */
  readonly nofollow: boolean;
}

/** Directives that have a value after a colon. Other names before a colon are names of robots. */
const WITH_VALUE = new Set(
  'max-image-preview max-snippet max-video-preview unavailable_after'.split(' '),
);

/** Reads the `<meta>` elements of a page, as pairs of name and content. */
export function metaDirectives(elements: Iterable<readonly [string, string]>): RobotsDirectives {
  const contents: string[] = [];
  for (const [name, content] of elements)
    if (['robots', ROBOT_NAME].includes(name.toLowerCase()))
      contents.push(...content.split(/[\s,]+/));
  return directivesOf(contents);
}

/**
 * Reads the lines of `X-Robots-Tag`. A line can start with the name of the robot to which it applies: `otherbot: noindex, nofollow`.
 */
export function headerDirectives(lines: readonly string[]): RobotsDirectives {
  return directivesOf(lines.flatMap(directivesOfLine));
}

function directivesOfLine(line: string): string[] {
  const directives: string[] = [];
  let robot: string | null = null;
  for (const part of line.toLowerCase().split(',')) {
    const [, name, rest] = /^\s*([\w-]+)\s*:(.*)$/.exec(part) ?? [];
    const isRobot = name !== undefined && !WITH_VALUE.has(name);
    if (isRobot) robot = name;
    if (robot === null || robot === ROBOT_NAME)
      directives.push(...((isRobot ? rest : part) ?? '').trim().split(/\s+/));
  }
  return directives;
}

function directivesOf(names: readonly string[]): RobotsDirectives {
  const directives = new Set(names.map((name) => name.toLowerCase()));
  const forbids = (name: string) => directives.has(name) || directives.has('none');
  return { noindex: forbids('noindex'), nofollow: forbids('nofollow') };
}
