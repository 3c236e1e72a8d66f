import { anchor } from '../../markdown/inline.ts';
import { targetOf } from '../../markdown/link-target.ts';

/** Links to the page of a document. Shows the host, because the title of a document can name a different one. */
export function SourceLink({ url }: { readonly url: string | null }) {
  const target = url === null ? null : targetOf(url);
  if (target === null || !target.href.startsWith('http')) return null;
  return <span class="source-link">{anchor(target, target.address)}</span>;
}
