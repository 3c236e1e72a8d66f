/** Name that `robots.txt` and `<meta name>` use for this crawler. */
export const ROBOT_NAME = 'gatehouse-crawler';

const MAX_RULES = 10_000;
const MAX_RULE_LENGTH = 2000;
/** Maximum characters of rules with wildcards. The time to match a path grows with this number. */
const MAX_WILDCARDS = 16 * 1024;

/**
 * Returns the rules of `robots.txt` for this crawler, as a file with one group for all crawlers: the rules of the groups for its name,
 * or of the groups for `*` if its name has none. A `problem` means that the rules would take too long to evaluate.
 */
export function rulesForCrawler(
  text: string,
): { readonly rules: string; readonly problem: null } | { readonly problem: string } {
  const rules = rulesOf(text);
  const wildcards = rules.filter((rule) => rule.includes('*'));
  if (wildcards.join('').length > MAX_WILDCARDS)
    return { problem: 'the file has too many rules with wildcards' };
  if (rules.length > MAX_RULES) return { problem: `the file has more than ${MAX_RULES} rules` };
  if (rules.some((rule) => rule.length > MAX_RULE_LENGTH))
    return { problem: `a rule of the file has more than ${MAX_RULE_LENGTH} characters` };
  return { rules: ['User-agent: *', ...rules].join('\n'), problem: null };
}

function rulesOf(text: string): readonly string[] {
  let own: string[] | null = null;
  const general: string[] = [];
  let agents = new Set<string>();
  let isInRules = true;
  for (const line of text.split(/\r\n|\r|\n/)) {
    const [content = ''] = line.split('#', 1);
    const colon = content.indexOf(':');
    const key = content.slice(0, Math.max(0, colon)).trim().toLowerCase();
    if (key === '') continue;
    const value = content.slice(colon + 1).trim();
    if (key === 'user-agent') {
      if (isInRules) agents = new Set();
      // A version such as `/1.0` is not part of the name.
      agents.add((value.toLowerCase().split('/', 1)[0] ?? '').trim());
    } else if (key === 'allow' || key === 'disallow' || key === 'crawl-delay') {
      const rule = `${key}: ${value.replace(/\*+/g, '*')}`;
      if (agents.has(ROBOT_NAME)) {
        own ??= [];
        own.push(rule);
      }
      if (agents.has('*')) general.push(rule);
    }
    isInRules = key !== 'user-agent';
  }
  return own ?? general;
}
