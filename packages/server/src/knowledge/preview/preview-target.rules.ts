import type { Issue } from '@gatehouse/contract';
import { linkFilterIssues } from '../../links/index.ts';

/** Returns the problems of the members that select the link of a preview. */
export function previewTargetIssues(body: Readonly<Record<string, unknown>>): Issue[] {
  const has = (name: string) => body[name] !== undefined;
  const issues = linkFilterIssues(body);
  if (has('linkId') && has('permissionFilter'))
    issues.push({ message: 'linkId: must not be combined with permissionFilter; send only one' });
  else if (has('linkId') && has('filter'))
    issues.push({
      message: 'filter: must not be combined with linkId, because a link has a filter',
    });
  else if (!has('linkId') && !has('permissionFilter'))
    issues.push({
      message:
        'linkId: is required; alternatively, send the permissionFilter of a link that need not exist',
    });
  return issues;
}
