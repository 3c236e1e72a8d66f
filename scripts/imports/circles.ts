/**
 * Circles in a directed graph, at least one for each group of nodes that reach each other.
 *
 * @returns each circle as its nodes in order; the last leads back to the first.
 */
export function findCircles(graph: ReadonlyMap<string, Iterable<string>>): string[][] {
  const circles: string[][] = [];
  const done = new Set<string>();
  const path: string[] = [];
  function visit(node: string): void {
    const start = path.indexOf(node);
    if (start !== -1) circles.push(path.slice(start));
    if (start !== -1 || done.has(node)) return;
    path.push(node);
    for (const next of graph.get(node) ?? []) visit(next);
    path.pop();
    done.add(node);
  }
  for (const node of graph.keys()) visit(node);
  return circles;
}
