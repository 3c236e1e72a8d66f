import { type Migrations, statements } from '../migrate.ts';
import { events } from './0001-baseline/events.ts';
import { knowledge } from './0001-baseline/knowledge.ts';
import { spaces } from './0001-baseline/spaces.ts';
import { idempotency } from './0002-0013/0002-idempotency.ts';
import { audit } from './0002-0013/0003-audit.ts';
import { spaceFilter } from './0002-0013/0004-space-filter.ts';
import { singleSignOn } from './0002-0013/0005-single-sign-on.ts';
import { accounts } from './0002-0013/0006-accounts.ts';
import { deliveries } from './0002-0013/0007-deliveries.ts';
import { usage } from './0002-0013/0008-usage.ts';
import { conversations } from './0002-0013/0009-conversations.ts';
import { installation } from './0002-0013/0011-installation.ts';
import { secondFactors } from './0002-0013/0012-second-factors.ts';
import { projections } from './0002-0013/0013-projections.ts';
import { handoff } from './0016-handoff.ts';
import { tools } from './0017-tools.ts';
import { versionsAndCrawls } from './0018-versions-and-crawls.ts';
import { budgets } from './0019-budgets.ts';
import { derivedTokens } from './0020-derived-tokens.ts';
import { listIndexes } from './0021-list-indexes.ts';
import { attachments } from './0022-attachments.ts';
import { pageTools } from './0023-page-tools.ts';
import { runningAnswers } from './0024-running-answers.ts';
import { linkKeys } from './0025-link-keys.ts';
import { auditQueue } from './0026-audit-queue.ts';
import { linkCreations } from './0027-link-creations.ts';
import { tokenChecks } from './0028-token-checks.ts';
import { embeddingOrder } from './0029-embedding-order.ts';
import { countIndexes } from './0031-count-indexes.ts';
import { answerVersions } from './0032-answer-versions.ts';

/** The migrations of this engine, in order. A released migration is never changed. */
export const sqliteMigrations: Migrations = {
  '0001-baseline': statements([...spaces, ...events, ...knowledge]),
  '0002-idempotency+': statements(idempotency),
  '0003-audit+': statements(audit),
  '0004-space-filter': statements(spaceFilter),
  '0005-single-sign-on+': statements(singleSignOn),
  '0006-accounts+': statements(accounts),
  '0007-deliveries': statements(deliveries),
  '0008-usage+': statements(usage),
  '0009-conversations+': statements(conversations),
  '0011-installation+': statements(installation),
  '0012-second-factors': statements(secondFactors),
  '0013-projections': statements(projections),
  '0016-handoff': statements(handoff),
  '0017-tools+': statements(tools),
  '0018-versions-and-crawls': statements(versionsAndCrawls),
  '0019-budgets+': statements(budgets),
  '0020-derived-tokens': statements(derivedTokens),
  '0021-list-indexes+': statements(listIndexes),
  '0022-attachments+': statements(attachments),
  '0023-page-tools+': statements(pageTools),
  '0024-running-answers+': statements(runningAnswers),
  '0025-link-keys': statements(linkKeys),
  '0026-audit-queue': auditQueue,
  '0027-link-creations': linkCreations,
  '0028-token-checks': statements(tokenChecks),
  '0029-embedding-order+': statements(embeddingOrder),
  // The stored hash of a token starts with its cluster. An earlier release would not find the new links.
  '0030-token-clusters': statements([]),
  '0031-count-indexes+': statements(countIndexes),
  '0032-answer-versions+': statements(answerVersions),
};
