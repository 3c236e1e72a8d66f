import { tokenise } from '../../../lib/text/index.ts';
import type { Language } from './language.ts';

/**
 * Groups of words that people use for the same thing in questions to companies, in any trade. One group per line. `_` joins
 * words that must all occur. Product names and terms that only one industry uses do not belong here.
 */
const GROUPS: Record<Language, string> = {
  en: `return send_back give_back bring_back hand_back take_back
    refund money_back reimburse repay
    cost price fee charge rate tariff pay
    buy purchase order
    deliver delivery ship shipping shipment dispatch
    send ship dispatch leave
    cancel cancellation withdraw
    warranty guarantee
    repair fix mend
    service servicing maintenance
    open opening hours
    phone telephone call
    address location situated street road square
    start begin
    end stop finish terminate quit
    holiday vacation leave
    employee staff worker
    mandatory required compulsory obligatory must
    abroad foreign country countries
    stolen theft steal
    broken damaged damage defective faulty
    child kid children
    weigh weight heavy kg
    switch_on turn_on power_on activate
    switch_off turn_off power_off deactivate
    contact reach reachable
    pay payment
    colour color
    late overdue
    plane airline flight fly
    discount reduction rebate half
    bill invoice receipt
    minimum least
    maximum most
    switch change
    old age year
    borrow lend
    rent hire rental
    collect pick_up fetch
    document passport certificate identity_card
    cash coin
    card cards
    website online
    e-mail email mail
    apply application
    job vacancy position
    trade_in part_exchange
    insurance insured
    free gratis complimentary
    expire valid validity`,
  de: `zuruckgeben ruckgabe retoure zurucksenden zuruckschicken zuruckbringen zuruck
    erstattung ruckerstattung geld_zuruck
    kosten preis gebuhr kostet tarif
    kaufen bestellen bestellung erwerben
    lieferung versand liefern verschicken zustellung
    kundigen kundigung stornieren stornierung
    garantie gewahrleistung
    reparieren reparatur
    offnungszeiten geoffnet offen offnen
    telefon telefonnummer anrufen unter nummer
    adresse anschrift standort strasse
    mitarbeiter kollege personal
    urlaub ferien
    putzen reinigen gereinigt saubern
    gewicht wiegt schwer kg
    einschalten anschalten aktivieren
    ausschalten abschalten deaktivieren
    erreichbar erreichen
    decken versichert abgedeckt
    bekommen erhalten bringen
    ausweis reisepass personalausweis
    rabatt ermassigung
    rechnung quittung beleg
    zahlen bezahlen zahlung bezahlung akzeptieren
    laden filiale geschaft`,
  fr: `retour renvoyer retourner rendre retractation
    remboursement rembourser
    prix tarif cout coute couter frais
    payer charge paie paiement
    acheter commander commande achat
    livraison livrer livre expedition delai
    arriver arrive livre
    annuler annulation resilier
    garantie garanti
    reparer reparation
    ouvert horaires ouverture
    telephone appeler appelle
    joindre joignable contacter
    allumer activer
    eteindre desactiver
    adresse rue
    monter montage assembler
    gratuit gratuite offert
    absent absence
    delai duree
    facture recu`,
  es: `devolver devolucion
    reembolso reembolsar
    precio costar cuesta tarifa vale coste
    comprar pedir pedido compra
    envio entrega enviar entregar
    cancelar anular
    garantia garantizado
    reparar reparacion arreglar
    abrir abierto abre horario
    cerrar cerrado
    telefono llamar
    direccion calle
    gratis gratuito gratuita
    cambiar cambio
    ajustar ajuste
    lavar limpiar limpieza
    tardar llegar duracion dura
    factura recibo`,
  ru: `вернуть возврат возвращаем вернут обратно
    деньги возврат средства
    цена стоимость стоит
    оплатить оплата платить заплатить
    купить покупка заказ заказать
    доставка доставляем доставить привезти
    отменить отмена
    гарантия гарантийный
    ремонт починить чинить
    открыт работает часы
    телефон позвонить
    адрес улица
    бесплатно бесплатная даром
    рассрочка частями
    документ паспорт удостоверение
    чек квитанция
    сумма дороже`,
  ar: `ارجاع اعاده استرجاع
    استرداد نعيد استرجاع
    سعر تكلفه ثمن
    شراء طلب
    توصيل شحن
    ضمان كفاله
    صيانه اصلاح تصليح
    مفتوح يفتح دوام
    هاتف اتصال
    عنوان شارع
    مجاني مجانا
    دفع سداد
    يستغرق تستغرق`,
  zh: `退货 退回 退还商品
    退款 退钱
    退 退还 退款 退货
    价格 价钱 多少钱 费用 收费 元
    配送 送货 运送
    运费 邮费 配送费
    保修 质保 保修期
    维修 修理
    营业 开门 营业时间 开店
    电话 联系电话
    地址 位置
    证件 身份证 护照
    优惠 折扣 打折 半价
    免费 免`,
  ja: `返品 返却
    返金 払い戻し
    料金 価格 値段 費用 円
    配送 発送 お届け 配達
    送料 配送料
    保証 保障
    修理 直
    営業 開 営業時間
    電話 連絡先
    住所 所在地
    割引 割り引き 半額
    退会 解約
    払 支払 決済 利用 負担
    無料 免`,
};

/** A synonym of one or more words, which must all occur. `form` is used to compare words, `text` to search for them. */
export type Synonym = readonly { readonly form: string; readonly text: string }[];

type FormOf = (word: string) => string;

const BY_WORD = new Map<Language, ReadonlyMap<string, readonly Synonym[]>>();
const ENTRIES = new Map<Language, readonly (readonly Synonym[])[]>();

/**
 * Returns the synonyms of a word in the language of the question.
 *
 * @param form the result of `formOf` for the word.
 * @param formOf converts a word to the form in which words are compared.
 */
export function synonymsOf(form: string, language: Language, formOf: FormOf): readonly Synonym[] {
  return groupsOf(language, formOf).get(form) ?? [];
}

/** Returns the synonyms of the expressions of several words, such as `geld zuruck`, that a question contains, with their words. */
export function expressionsIn(
  forms: ReadonlySet<string>,
  language: Language,
  formOf: FormOf,
): { readonly words: Synonym; readonly synonyms: readonly Synonym[] }[] {
  return entriesOf(language, formOf).flatMap((group) =>
    group
      .filter((entry) => entry.length > 1 && entry.every(({ form }) => forms.has(form)))
      .map((words) => ({ words, synonyms: group.filter((other) => other !== words) })),
  );
}

/** Returns the words of a language that have synonyms, longest first. */
export function wordsWithSynonyms(language: Language, formOf: FormOf): string[] {
  return [...groupsOf(language, formOf).keys()].sort((a, b) => b.length - a.length);
}

function groupsOf(language: Language, formOf: FormOf): ReadonlyMap<string, readonly Synonym[]> {
  return BY_WORD.getOrInsertComputed(language, () => readGroups(language, formOf));
}

function readGroups(language: Language, formOf: FormOf): ReadonlyMap<string, readonly Synonym[]> {
  const groups = new Map<string, Synonym[]>();
  for (const group of entriesOf(language, formOf)) {
    for (const entry of group) {
      const [word] = entry;
      if (word === undefined || entry.length > 1) continue;
      const others = group.filter((other) => other !== entry);
      groups.set(word.form, [...(groups.get(word.form) ?? []), ...others]);
    }
  }
  return groups;
}

/** Returns the entries of each group. */
function entriesOf(language: Language, formOf: FormOf): readonly (readonly Synonym[])[] {
  return ENTRIES.getOrInsertComputed(language, () => readEntries(language, formOf));
}

function readEntries(language: Language, formOf: FormOf): Synonym[][] {
  return GROUPS[language].split('\n').map((line) =>
    line
      .trim()
      .split(' ')
      .map((entry) =>
        entry.split('_').map((text) => ({ text, form: formOf(folded(text, language)) })),
      ),
  );
}

function folded(word: string, language: Language): string {
  if (language === 'zh' || language === 'ja') return word;
  return tokenise(word).find(({ kind }) => kind === 'word')?.term ?? word;
}
