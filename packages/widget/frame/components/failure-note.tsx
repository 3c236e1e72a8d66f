import type { Failure } from '../api/failure.ts';
import { interpolate } from '../translations/strings.ts';
import { useStrings } from './strings-context.ts';

export function FailureNote({ failure }: { readonly failure: Failure }) {
  const { name, seconds } = failure;
  return (
    <p class="problem" role="alert">
      {interpolate(useStrings().failures[name], { seconds: seconds ?? 60 })}
    </p>
  );
}
