/** In place of an answer of which nothing has come yet. What it says, screen readers hear from elsewhere. */
export function Thinking() {
  return (
    <p class="thinking">
      <span class="dots" aria-hidden="true" />
    </p>
  );
}
