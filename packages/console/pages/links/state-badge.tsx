import type { Link } from '@gatehouse/client';

const LOOK = { active: 'good', expired: 'quiet', revoked: 'bad' } as const;

/** The state of a link. Links that show every document are marked. */
export function StateBadge({ link }: { readonly link: Pick<Link, 'state' | 'unrestricted'> }) {
  return (
    <>
      <span class={`badge ${LOOK[link.state]}`}>{link.state}</span>
      {link.unrestricted && link.state === 'active' && <span class="badge warn">unrestricted</span>}
    </>
  );
}
