// What the client says, in the reader's language: `t('people.title')`, and dates and numbers as that language has them.
//
// A catalogue is a flat JSON object. A text may hold `{name}`; where its form depends on a number it is an object of plural
// forms (`{"one": …, "other": …}`), chosen by `count`.

import { now } from '../transport/clock.js';
import { trustedScriptURL } from '../transport/trusted.js';
import { keepTexts, keptTexts } from './kept-texts.js';
import { remembered, rememberFor } from './remembered.js';

export const languages = { en: 'English', de: 'Deutsch', ar: 'العربية' };

const rightToLeft = new Set(['ar']);
// Marks that turn the direction of all that follows: in a sentence, those of a name would turn the rest of it.
const turning = /[\u202a-\u202e\u2066-\u2069]/g;
const storageKey = 'parley.language';

let texts = {};
let language = 'en';
// The language as the browser's person has it: en-GB has other dates than en-US.
let locale = 'en';
const formats = new Map();
// Whether this browser has formatted in this locale before.
let isRemembered = false;

/// Loads a catalogue and sets the page's language and direction. Without a tag: what was chosen, else the browser's.
export async function useLanguage(tag) {
  language = supported(tag ? [tag] : [chosenLanguage(), ...navigator.languages]);
  locale = navigator.languages.find((each) => each.toLowerCase().split('-')[0] === language) ?? language;
  formats.clear();
  isRemembered = rememberFor(locale);
  const address = new URL(`./${language}.json`, import.meta.url).pathname;
  texts = keptTexts(address) ?? (await fetchTexts(address));
  document.documentElement.lang = language;
  document.documentElement.dir = rightToLeft.has(language) ? 'rtl' : 'ltr';
  return language;
}

async function fetchTexts(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`no catalogue for ${language}`);
  const fetched = await answer.json();
  keepTexts(address, fetched);
  return fetched;
}

/// Has the browser get ready to format, apart from the page, where it will have to.
export function prepareFormats() {
  if (isRemembered) return;
  try {
    new Worker(trustedScriptURL(new URL('./format-worker.js', import.meta.url).pathname));
  } catch {
    // Without a worker the first that is formatted takes longer.
  }
}

/// Remembers a choice for this browser; null forgets it. Takes effect with the next `useLanguage()`.
export function chooseLanguage(tag) {
  try {
    if (tag) localStorage.setItem(storageKey, tag);
    else localStorage.removeItem(storageKey);
  } catch {
    // Storage is forbidden: the choice holds for this page alone.
  }
}

export function chosenLanguage() {
  try {
    return localStorage.getItem(storageKey);
  } catch {
    return null;
  }
}

/// The text of a key, with the numbers in it written as the locale writes them. A key that is missing shows itself: that is a
/// mistake, which a test finds.
export function t(key, values = {}) {
  let text = texts[key];
  if (text === undefined) return key;
  if (typeof text === 'object') text = text[pluralForm(Number(values.count ?? 0))] ?? text.other;
  return text.replace(/\{(\w+)\}|\d+/g, (whole, name) => {
    const value = name ? values[name] : Number(whole);
    if (value === undefined || value === null) return whole;
    return typeof value === 'number' ? formatNumber(value) : withoutTurning(String(value));
  });
}

function pluralForm(count) {
  const make = () => format('plural', () => new Intl.PluralRules(language)).select(count);
  return isSmall(count) ? remembered(`plural ${count}`, make) : make();
}

export function formatNumber(number) {
  const make = () => format('number', () => new Intl.NumberFormat(locale)).format(number);
  return isSmall(number) ? remembered(`${number}`, make) : make();
}

// Of those there are so few that they are kept between visits.
function isSmall(number) {
  return Number.isInteger(number) && number >= 0 && number < 1000;
}

/// 14:05
export function formatTime(date) {
  const time = toDate(date);
  return remembered(`time ${time.getHours()}:${time.getMinutes()}`, () => format('time', () => new Intl.DateTimeFormat(locale, { timeStyle: 'short' })).format(time));
}

/// Today, Yesterday, or a date.
export function formatDay(date) {
  const day = toDate(date);
  const daysAgo = calendarDaysAgo(day);
  if (daysAgo === 0) return t('day.today');
  if (daysAgo === 1) return t('day.yesterday');
  const thisYear = day.getFullYear() === new Date(now()).getFullYear();
  if (thisYear) return format('day', () => new Intl.DateTimeFormat(locale, { weekday: 'long', day: 'numeric', month: 'long' })).format(day);
  return format('longDay', () => new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'long', year: 'numeric' })).format(day);
}

/// As short as a list wants it: the time of today, the weekday of this week, else the date.
export function formatWhen(date) {
  const day = toDate(date);
  const daysAgo = calendarDaysAgo(day);
  if (daysAgo === 0) return formatTime(day);
  if (daysAgo === 1) return t('day.yesterday');
  if (daysAgo > 1 && daysAgo < 7) return remembered(`weekday ${day.getDay()}`, () => format('weekday', () => new Intl.DateTimeFormat(locale, { weekday: 'short' })).format(day));
  return remembered(`${day.getFullYear()}-${day.getMonth()}-${day.getDate()}`, () => format('date', () => new Intl.DateTimeFormat(locale, { dateStyle: 'short' })).format(day));
}

/// Day and time: 24 Nov 2026, 14:05
export function formatMoment(date) {
  return format('moment', () => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })).format(toDate(date));
}

/// Ada, Bob and Eve
export function formatList(items) {
  return format('list', () => new Intl.ListFormat(locale, { type: 'conjunction' })).format(items.map(withoutTurning));
}

/// 1.4 MB
export function formatBytes(bytes) {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'];
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), units.length - 1);
  const unit = units[power];
  const maximumFractionDigits = power > 1 ? 1 : 0;
  return format(`bytes-${unit}`, () => new Intl.NumberFormat(locale, { style: 'unit', unit, maximumFractionDigits }))
    .format(bytes / 1000 ** power);
}

/// 7 days
export function formatLength(number, unit) {
  return format(`length-${unit}`, () => new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' })).format(number);
}

/// 1:05
export function formatDuration(milliseconds) {
  const seconds = Math.round(milliseconds / 1000);
  const twoDigits = (number) => formatNumber(number).padStart(2, formatNumber(0));
  return `${formatNumber(Math.floor(seconds / 60))}:${twoDigits(seconds % 60)}`;
}

function withoutTurning(text) {
  return text.replace(turning, '');
}

function format(name, make) {
  if (!formats.has(name)) formats.set(name, make());
  return formats.get(name);
}

function toDate(date) {
  return date instanceof Date ? date : new Date(date);
}

function calendarDaysAgo(day) {
  const midnight = (moment) => Date.UTC(moment.getFullYear(), moment.getMonth(), moment.getDate());
  return Math.round((midnight(new Date(now())) - midnight(day)) / 86_400_000);
}

function supported(tags) {
  for (const tag of tags) {
    const primary = String(tag ?? '').toLowerCase().split('-')[0];
    if (Object.hasOwn(languages, primary)) return primary;
  }
  return 'en';
}
