import type { AccessPreviewRequest } from '@gatehouse/client';

/** The link or the filter of a preview. */
export type Target = Pick<AccessPreviewRequest, 'linkId' | 'permissionFilter'>;

export interface TargetProps {
  readonly spaceId: string;
  readonly target: Target;
}
