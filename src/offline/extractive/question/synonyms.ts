import { stemOf } from './words.js';

/**
 * Synonyms that developers use, because a question often uses other words than the code. Each line is one concept;
 * after the bar are the beginnings of German words for it. An underscore joins the words of a phrase. The list is about programs in general, not about one
 * project.
 */
const notions = `
abort cancel interrupt stop | abbrech abbruch
access permission allow authorization | zugriff erlaub berechtig
account user customer | konto benutzer nutzer kunde
add append insert create | hinzufüg anleg erstell
address url host endpoint | adresse
alive health healthz readyz liveness | erreichbar lebend
approval approve confirm permission allow consent | genehmig freigab bestätig zustimm
argument parameter option | argument
ask prompt question request | frag
begin start open launch | beginn start
block refuse deny reject forbid | ablehn verweiger verbiet
browser page tab client | seite
bug error failure problem | fehler
cache memo remember reuse | zwischenspeicher
call invoke request | aufruf
caller client user | aufrufer
change edit modify update write | änder bearbeit
check validate verify | prüf
choose select pick | auswahl auswähl
circle cycle loop repeat | kreis schleife
close end finish leave disconnect | schließ beend
color colour paint style | farbe
column width wide | spalte breite
command shell program process | befehl kommando
compact summary summarize shorten compress | zusammenfass kürz verdicht
config setting option environment variable | einstellung konfigur
connection socket | verbindung
conversation history turn | verlauf gespräch
cost price money charge | preis kosten
count number amount total | anzahl zähl
cut truncate shorten clip | abschneid
date day time | datum
deadline timeout limit expire | frist zeitlimit
decide choose determine | entscheid
default preset standard fallback | standard vorgabe
delay wait backoff pause | warte verzöger
delete remove drop clear | lösch entfern
directory folder root | ordner verzeichnis
disk folder file storage | platte festplatte
empty blank missing | leer
encrypt cipher hash | verschlüssel
escape outside traversal contained | ausbrech
fail error failure break | fehlschlag scheiter
fast speed performance | schnell
fit share budget | pass
forget drop clear evict | vergess
hide redact mask conceal | verberg schwärz
hit match result | treffer
identify id identifier name | kennung
invoice bill receipt | rechnung
key secret token credential | schlüssel
keyboard key shortcut | tastatur taste
kill end terminate sigkill sigterm | töt
language locale | sprache
large big size byte long | groß größe
last duration long timeout | dauer
limit more_than up_to maximum most cap bound | grenze höchst maximal begrenz
link symlink reference | verknüpf
list enumerate | liste
log record trace | protokoll
login session auth sign | anmeld
loop repeat iterate | schleife
machine computer system | rechner
maximum limit more_than up_to most cap |
message text | nachricht meldung
model llm | modell
notice detect signal recognize | erkenn bemerk
old earlier previous former | alt
open accept pending unanswered accepted | offen
order sort rank sequence | reihenfolge
outside beyond escape contained | außerhalb
owner author | besitzer
parse read interpret | lies lesen ausles
password secret passphrase | passwort kennwort
path location file | pfad
payload body content request | nutzlast inhalt
person human user | person
print show display render | anzeig ausgab
program process command | programm
project repository workspace | projekt
question query task | frage aufgabe
quick fast immediate | sofort
rate frequency per minute limit | rate
read load open | lesen les
receive accept get | empfang
repeat again retry second | wiederhol erneut
reply answer response completion | antwort
request call query | anfrag
restart resume continue | neustart fortsetz
result outcome output | ergebnis
return give answer | rückgab
role permission right | rolle recht
save store keep persist write | speicher
screen terminal display | bildschirm terminal
search find query grep | such
second again repeat retry twice | zweit
secret key credential password redact | geheim
security protection safety | sicher
send post deliver emit | send schick
server service process | server dienst
session login run conversation | sitzung session
shutdown drain sigterm stop exit | herunterfahr abschalt
silent quiet | still
size length byte large | größe länge
slow late lag delay | langsam
start begin launch boot | start
state status condition | zustand
step iteration turn | schritt
stop end abort cancel | stopp anhalt
stream event delta chunk | strom
symlink link realpath | symlink
table map record | tabelle
task job todo work | aufgabe
terminal tty console screen | konsole
test spec check | test
thread worker | faden
throttle limit rate | drossel
tool function action | werkzeug
translate convert map | übersetz umwandl
trust safe verify | vertrau
type kind sort | art typ
typo misspell closest | tippfehler
undo revert rollback restore | rückgängig
unknown missing absent | unbekannt
update change refresh | aktualisier
upload send post | hochlad
valid last expire check | gültig
vendor provider upstream supplier | anbieter
version release | version
wait delay pending queue | wart
warn alert notice | warn
window pane view | fenster
word term token | wort
write save create output | schreib
wrong invalid error bad | falsch ungültig`
  .trim()
  .split('\n')
  .map((line) => {
    const [english = '', german = ''] = line.split('|');
    return {
      stems: english.trim().split(' ').map(stemOfNotion),
      german: german.trim().split(' ').filter(Boolean),
    };
  });

function stemOfNotion(word: string): string {
  return word.includes('_') ? word.replaceAll('_', ' ') : stemOf(word);
}

/**
 * Returns the stems of a word's synonyms, the closest first. Does not reduce a synonym of several words to stems. For
 * a German word, returns its translations.
 */
export function synonymsOf(word: string): string[] {
  const stem = stemOf(word);
  const translated = notions.filter(({ german }) => german.some((beginning) => word.startsWith(beginning)));
  const own = notions.filter(({ stems }) => stems[0] === stem);
  const others = notions.filter(({ stems }) => stems.indexOf(stem) > 0).map(({ stems }) => stems.slice(0, 1));
  const found = [...(own.length > 0 ? own : translated).map(({ stems }) => stems), ...others].flat();
  return [...new Set(found)].filter((each) => each !== stem).slice(0, MAX_SYNONYMS);
}

const MAX_SYNONYMS = 6;
