import { consumers } from '../both/0001-baseline/consumers.ts';
import { spaces } from '../both/0001-baseline/spaces.ts';
import { idempotency } from '../both/0002-0013/0002-idempotency.ts';
import { auditTable } from '../both/0002-0013/0003-audit.ts';
import { spaceFilter } from '../both/0002-0013/0004-space-filter.ts';
import { singleSignOn } from '../both/0002-0013/0005-single-sign-on.ts';
import { accounts } from '../both/0002-0013/0006-accounts.ts';
import { deliveries } from '../both/0002-0013/0007-deliveries.ts';
import { usage } from '../both/0002-0013/0008-usage.ts';
import { conversations } from '../both/0002-0013/0009-conversations.ts';
import { secondFactors } from '../both/0002-0013/0012-second-factors.ts';
import { projections } from '../both/0002-0013/0013-projections.ts';
import { handoffColumns } from '../both/0016-handoff.ts';
import { tools } from '../both/0017-tools.ts';
import { versionsAndCrawls } from '../both/0018-versions-and-crawls.ts';
import { budgets } from '../both/0019-budgets.ts';
import { listIndexes } from '../both/0021-list-indexes.ts';
import { attachments } from '../both/0022-attachments.ts';
import { pageTools } from '../both/0023-page-tools.ts';
import { runningAnswers } from '../both/0024-running-answers.ts';
import { linkKeys } from '../both/0025-link-keys.ts';
import { tokenChecks } from '../both/0028-token-checks.ts';
import { embeddingOrder } from '../both/0029-embedding-order.ts';
import { answerVersions } from '../both/0032-answer-versions.ts';
import { erasures } from '../both/0033-erasures.ts';
import { SQLITE } from '../both/engine.ts';
import { type Migrations, statements } from '../migrate.ts';
import { events } from './0001-baseline/events.ts';
import { knowledge } from './0001-baseline/knowledge.ts';
import { auditTrigger } from './0002-0013/0003-audit.ts';
import { installation } from './0002-0013/0011-installation.ts';
import { handoff } from './0016-handoff.ts';
import { derivedTokens } from './0020-derived-tokens.ts';
import { auditQueue } from './0026-audit-queue.ts';
import { linkCreations } from './0027-link-creations.ts';
import { countIndexes } from './0031-count-indexes.ts';

/** The migrations of this engine, in order. A released migration is never changed. */
export const sqliteMigrations: Migrations = {
  '0001-baseline': statements([...spaces(SQLITE), ...events, ...consumers(SQLITE), ...knowledge]),
  '0002-idempotency+': statements(idempotency(SQLITE)),
  '0003-audit+': statements([...auditTable(SQLITE), ...auditTrigger]),
  '0004-space-filter': statements(spaceFilter),
  '0005-single-sign-on+': statements(singleSignOn(SQLITE)),
  '0006-accounts+': statements(accounts(SQLITE)),
  '0007-deliveries': statements(deliveries(SQLITE)),
  '0008-usage+': statements(usage(SQLITE)),
  '0009-conversations+': statements(conversations(SQLITE)),
  '0011-installation+': statements(installation),
  '0012-second-factors': statements(secondFactors(SQLITE)),
  '0013-projections': statements(projections(SQLITE)),
  '0016-handoff': statements([...handoffColumns(SQLITE), ...handoff]),
  '0017-tools+': statements(tools(SQLITE)),
  '0018-versions-and-crawls': statements(versionsAndCrawls(SQLITE)),
  '0019-budgets+': statements(budgets(SQLITE)),
  '0020-derived-tokens': statements(derivedTokens),
  '0021-list-indexes+': statements(listIndexes),
  '0022-attachments+': statements(attachments(SQLITE)),
  '0023-page-tools+': statements(pageTools(SQLITE)),
  '0024-running-answers+': statements(runningAnswers(SQLITE)),
  '0025-link-keys': statements(linkKeys(SQLITE)),
  '0026-audit-queue': auditQueue,
  '0027-link-creations': linkCreations,
  '0028-token-checks': statements(tokenChecks),
  '0029-embedding-order+': statements(embeddingOrder),
  // The stored hash of a token starts with its cluster. An earlier release would not find the new links.
  '0030-token-clusters': statements([]),
  '0031-count-indexes+': statements(countIndexes),
  '0032-answer-versions+': statements(answerVersions),
  '0033-erasures+': statements(erasures(SQLITE)),
};
