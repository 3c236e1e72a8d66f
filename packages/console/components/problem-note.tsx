import type { Problem } from '../app/client.ts';

/** An error message, which screen readers announce. */
export function ProblemNote({ problem }: { readonly problem: Problem }) {
  return (
    <div class="problem" role="alert">
      <p>{problem.text}</p>
      {problem.details.length > 0 && (
        <ul>
          {problem.details.map((detail) => (
            <li key={detail}>{detail}</li>
          ))}
        </ul>
      )}
    </div>
  );
}
