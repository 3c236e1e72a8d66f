import type { Budget } from '@gatehouse/contract';
import type { Clock } from '../../lib/scheduling/index.ts';
import { type BudgetOwner, type BudgetRepository, isUsedUp } from '../../platform/usage/index.ts';
import { AnswerFailure, type AnswerPart, type Question } from '../answerer.ts';
import type { Prices } from '../models/index.ts';

/** Assumed characters per token of an answer without token counts. */
const CHARACTERS_PER_TOKEN = 4;

export interface TurnBudgetDeps {
  readonly budgets: Pick<BudgetRepository, 'add' | 'spent'>;
  readonly clock: Clock;
  /** Returns the prices of a model, or null if its costs are not recorded. */
  readonly pricesOf: (model: string) => Prices | null;
}

export interface BudgetedTurn {
  readonly spaceId: string;
  /** `null` for a preview without a link. */
  readonly linkId: string | null;
  readonly budgets: { readonly space: Budget | null; readonly link: Budget | null };
}

/**
 * The budgets of one turn. Amounts are stored as soon as a request to the model ends, so all replicas see them at the start of
 * their next turn. Running turns are not ended, so turns that run at the same time can exceed a budget.
 */
export class TurnBudget {
  readonly #deps: TurnBudgetDeps;
  readonly #limited: readonly { readonly owner: BudgetOwner; readonly limits: Budget }[];

  constructor(deps: TurnBudgetDeps, { spaceId, linkId, budgets }: BudgetedTurn) {
    this.#deps = deps;
    const { space, link } = budgets;
    this.#limited = [
      ...(space === null ? [] : [{ owner: { spaceId, linkId: null }, limits: space }]),
      ...(link === null || linkId === null ? [] : [{ owner: { spaceId, linkId }, limits: link }]),
    ];
  }

  /** Reports whether a limit of the space or the link is reached. */
  async isUsedUp(): Promise<boolean> {
    const { budgets, clock } = this.#deps;
    for (const { owner, limits } of this.#limited)
      if (isUsedUp(limits, await budgets.spent(owner, clock()))) return true;
    return false;
  }

  /**
   * Relays the parts of an answer and counts their tokens. Estimates the tokens of a request without token counts, for example
   * because the person stopped the answer, and otherwise could use models beyond the budget.
   */
  meter(question: Question, parts: AsyncIterable<AnswerPart>): AsyncIterable<AnswerPart> {
    return this.#limited.length === 0 ? parts : this.#metered(question, parts);
  }

  async *#metered(
    question: Question,
    parts: AsyncIterable<AnswerPart>,
  ): AsyncGenerator<AnswerPart> {
    let model: string | null = null;
    let isCounted = false;
    let characters = 0;
    let hasFailed = false;
    try {
      for await (const part of parts) {
        if (part.kind === 'model') model = part.name;
        else if (part.kind === 'request') isCounted = false;
        else if (part.kind === 'text' || part.kind === 'reasoning') characters += part.text.length;
        else if (part.kind === 'usage' && model !== null) {
          await this.#add(model, part.inputTokens, part.outputTokens);
          isCounted = true;
          characters = 0;
        }
        yield part;
      }
    } catch (error) {
      hasFailed = error instanceof AnswerFailure;
      throw error;
    } finally {
      const isSpent = characters > 0 || !(isCounted || hasFailed);
      if (model !== null && isSpent)
        await this.#add(model, tokensIn(promptLength(question)), tokensIn(characters));
    }
  }

  async #add(model: string, input: number, output: number): Promise<void> {
    const { budgets, clock, pricesOf } = this.#deps;
    const prices = pricesOf(model);
    const costMillionths = prices === null ? 0 : input * prices.input + output * prices.output;
    for (const { owner } of this.#limited)
      await budgets.add(owner, { tokens: input + output, costMillionths }, clock());
  }
}

function promptLength({ instructions, facts, history, passages, question }: Question): number {
  const texts = [instructions, facts ?? '', question];
  for (const { text } of [...history, ...passages]) texts.push(text);
  return texts.reduce((sum, text) => sum + text.length, 0);
}

function tokensIn(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}
