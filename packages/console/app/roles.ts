import type { Member } from '@gatehouse/client';
import { t } from '../translations/translate.ts';

export type Role = Member['role'];

/** The roles with their names, from the weakest to the strongest. */
export const roleOptions = () =>
  [
    ['viewer', t('Viewer')],
    ['editor', t('Editor')],
    ['owner', t('Owner')],
  ] as const;
