import type { Problem } from '../app/client.ts';
import { t } from '../translations/translate.ts';

/** An error message, which screen readers announce. */
export function ProblemNote({ problem }: { readonly problem: Problem }) {
  return (
    <div class="problem" role="alert">
      <p>
        <bdi>{problem.text}</bdi>
      </p>
      {problem.details.length > 0 && (
        <ul>
          {problem.details.map((detail) => (
            <li key={detail}>
              <bdi>{detail}</bdi>
            </li>
          ))}
        </ul>
      )}
      {problem.retry !== undefined && (
        <button type="button" onClick={problem.retry}>
          {t('Try again')}
        </button>
      )}
    </div>
  );
}

/** An error message in place of a page whose data could not be loaded. */
export function PageProblem({ problem }: { readonly problem: Problem }) {
  return (
    <>
      <h1>{t('This page cannot be shown')}</h1>
      <ProblemNote problem={problem} />
    </>
  );
}
