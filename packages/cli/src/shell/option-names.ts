import type { Command } from 'commander';
import { variable } from './access.ts';
import { Failure } from './failure.ts';
import type { Shell } from './shell.ts';

/** Members of requests whose options or arguments have other names. */
const OPTIONS: Readonly<Record<string, string>> = {
  ttlSeconds: 'ttl',
  expiresAt: 'expiresIn',
  spaceId: 'space',
  linkId: 'link',
  subscriptionId: 'subscription',
  'messages[0].parts': 'question',
};
const START = /^(messages\[0\]\.parts|\w+)(?:\.(.+?))?(?=: )/;

/** Names the options and arguments that set the members of a rejected request, instead of the members. */
export function withOptionNames(
  failure: Failure,
  command: Command,
  shell: Pick<Shell, 'env'>,
): Failure {
  const { exitCode, code, message, issues, requestId } = failure;
  // The arguments of `gatehouse api` contain the names of the API.
  if (issues.length === 0 || command.name() === 'api') return failure;
  const renamed = issues.map((issue) => ({ ...issue, message: rename(issue.message) }));
  const listOf = (problems: Failure['issues']) => problems.map((one) => one.message).join('; ');
  return new Failure({
    exitCode,
    code,
    message: message.replace(listOf(issues), () => listOf(renamed)),
    issues: renamed,
    requestId,
  });

  function rename(problem: string): string {
    const [start, member = '', path] = START.exec(problem) ?? [''];
    const name = givenName(command, member, shell);
    if (name === undefined) return problem;
    const unit = member === 'ttlSeconds' ? ' in seconds' : '';
    return `${path === undefined ? '' : `${path} in `}${name}${unit}${problem.slice(start.length)}`;
  }
}

/** Returns the argument, option or variable that set the member, or `undefined` if none did, such as a member of `--body`. */
function givenName(
  command: Command,
  member: string,
  shell: Pick<Shell, 'env'>,
): string | undefined {
  const attribute = OPTIONS[member] ?? member;
  const kebab = member.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  for (const [index, argument] of command.registeredArguments.entries())
    if ([kebab, attribute].includes(argument.name()) && command.args[index] !== undefined)
      return `<${argument.name()}>`;
  for (let at: Command | null = command; at !== null; at = at.parent) {
    const option = at.options.find((one) => one.attributeName() === attribute);
    if (option !== undefined && at.getOptionValueSource(attribute) === 'cli')
      return option.long ?? undefined;
  }
  if (member === 'spaceId' && variable(shell, 'GATEHOUSE_SPACE') !== undefined)
    return 'GATEHOUSE_SPACE';
  return undefined;
}
