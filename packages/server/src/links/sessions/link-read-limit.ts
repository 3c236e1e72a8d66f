import type { RateCounts } from '../../storage/ports/index.ts';
import { tooManyReads } from '../links/link.errors.ts';
import type { WidgetCaller } from './widget-session.service.ts';

/** Limits the searches and reads of each link, for all of its widget sessions and all replicas together. */
export interface LinkReadLimit {
  /**
   * Counts a search or read. Rejected requests do not count.
   *
   * @throws {ApiError} 429 if the link has reached its limit for the last minute.
   */
  count(widget: WidgetCaller): Promise<void>;
}

/** @param perMinute maximum searches and reads per link. 0: no limit. */
export function createLinkReadLimit(rates: RateCounts, perMinute: number): LinkReadLimit {
  return {
    async count({ linkId }) {
      if (perMinute === 0) return;
      const rate = { limit: 'reads of a link', key: linkId, max: perMinute };
      const exceeded = await rates.countInMinute([rate]);
      if (exceeded !== null) throw tooManyReads(Math.ceil(exceeded.waitMs / 1000));
    },
  };
}
