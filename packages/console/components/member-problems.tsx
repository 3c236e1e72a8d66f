import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Problem } from '../app/client.ts';
import { t } from '../translations/translate.ts';
import { ProblemNote } from './problem-note.tsx';

/** The problems of a request by the members of its body, for the fields of a form. */
export interface MemberProblems {
  readonly details: readonly string[];
  /** The details that fields show. The fields add to it while they are rendered. */
  readonly shown: Set<string>;
}

export const MemberProblemsContext = createContext<MemberProblems | null>(null);

/** Returns the text of each problem of a member, with the label of its field in place of the path. */
export function useMemberProblems(member: string | undefined, label: string): readonly string[] {
  const problems = useContext(MemberProblemsContext);
  if (problems === null || member === undefined) return [];
  return problems.details.flatMap((detail) => {
    const end = detail.indexOf(': ');
    const inside = detail.slice(member.length, end);
    // The end of the path is a position in a list, such as `[0]`, or a member inside, such as `.audience`.
    if (end < member.length || !detail.startsWith(member) || !/^($|[.[])/.test(inside)) return [];
    problems.shown.add(detail);
    const rest = inside
      .replace(/\[(\d+)\]/g, (_, index: string) => ` ${Number(index) + 1}`)
      .replaceAll('.', ' ');
    return [label + rest + detail.slice(end)];
  });
}

export interface OtherProblemsProps {
  readonly problem: Problem;
  readonly shown: ReadonlySet<string>;
}

/** The problem of a form without the details that its fields show. Render it after the fields. */
export function OtherProblems({ problem, shown }: OtherProblemsProps) {
  const details = problem.details.filter((detail) => !shown.has(detail));
  const text =
    problem.details.length > 0 && details.length === 0
      ? t('Please correct the marked fields.')
      : problem.text;
  return <ProblemNote problem={{ text, details }} />;
}
