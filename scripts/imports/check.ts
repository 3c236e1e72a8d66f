import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findCircles } from './circles.ts';
import { brokenRules, isAmong, placeOf } from './judge.ts';
import { type Import, readImports } from './read-imports.ts';
import { openRepository, type Repository } from './repository.ts';
import { resolveImport } from './resolve.ts';
import { TESTS } from './rules.ts';

/** An import of one file of ours by another. */
interface Edge {
  readonly from: string;
  readonly to: string;
  readonly at: string;
}

/**
 * Checks every import of a repository against the rules in `rules.ts`.
 *
 * @returns one line for each violation: `file:line imports X: rule`.
 */
export function checkImports(root: string): string[] {
  const repository = openRepository(root);
  const edges: Edge[] = [];
  const violations = repository.files.flatMap((file) => [
    ...withoutPlace(file),
    ...readImports(file, readFileSync(join(root, file), 'utf8')).flatMap((imported) =>
      checkOne(repository, file, imported, edges),
    ),
  ]);
  return [...violations, ...fileCircles(edges)];
}

function withoutPlace(file: string): string[] {
  if (placeOf(file) !== undefined || isAmong(file, TESTS)) return [];
  return [`${file}:1 lies in no place that scripts/imports/rules.ts names`];
}

function checkOne(repository: Repository, file: string, imported: Import, edges: Edge[]): string[] {
  const { specifier, line } = imported;
  if (specifier === undefined) {
    if (isAmong(file, TESTS)) return [];
    return [`${file}:${line} imports something computed: only a literal can be checked`];
  }
  const at = `${file}:${line} imports ${specifier}`;
  const target = resolveImport(repository, file, specifier);
  if (target.kind === 'ours' && target.file !== undefined && !imported.byUrl) {
    edges.push({ from: file, to: target.file, at });
  }
  return brokenRules(repository, file, imported, target).map((rule) => `${at}: ${rule}`);
}

function fileCircles(edges: readonly Edge[]): string[] {
  return circlesAmong(edges, 'files');
}

function circlesAmong(edges: readonly Edge[], what: string): string[] {
  const graph = new Map<string, Set<string>>();
  for (const { from, to } of edges) graph.set(from, (graph.get(from) ?? new Set()).add(to));
  return findCircles(graph).map((circle) => {
    const [first = '', second = first] = circle;
    const edge = edges.find(({ from, to }) => from === first && to === second);
    return `${edge?.at}: a circle of ${what}, ${[...circle, first].join(' → ')}`;
  });
}
