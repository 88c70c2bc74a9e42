"""The words that a PDF adds to those of its pages, in the language of the space."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Final

from recto.frozen import frozen


@frozen
class Words:
    """Words of a language; ``day`` is the form of a date, empty for English, which names the month."""

    day: str
    contents: str
    change_request: str
    no_subject: str
    untitled: str
    parameter: str
    field: str
    schema: str
    type: str
    description: str
    request_body: str
    required: str
    deprecated: str
    missing: str
    """The sentence before the numbers of characters that no font has."""

    def write_date(self, moment: datetime) -> str:
        """Return a day as it is written in the language."""
        return self.day.format(moment) if self.day else f"{moment.day} {moment:%B %Y}"


_POINTS, _SLASHES = "{0.day}.{0.month}.{0.year}", "{0.day}/{0.month}/{0.year}"

_MISSING = "No font has these characters; their numbers stand in their places:"
"""Chinese, Japanese and Korean keep it: where it is needed, theirs are mostly the characters that no font has."""

ENGLISH: Final = Words(
    *("", "Contents", "Change request", "no subject", "Untitled", "Parameter", "Field", "Schema", "Type"),
    *("Description", "Request body", "required", "deprecated"),
    _MISSING,
)

_LANGUAGES: Final[Mapping[str, Words]] = {
    "en": ENGLISH,
    "de": Words(
        *(_POINTS, "Inhalt", "Änderungsantrag", "ohne Betreff", "Ohne Titel", "Parameter", "Feld", "Schema", "Typ"),
        *("Beschreibung", "Anfragetext", "erforderlich", "veraltet"),
        "Keine Schrift hat diese Zeichen; an ihrer Stelle stehen ihre Nummern:",
    ),
    "fr": Words(
        *(_SLASHES, "Sommaire", "Demande de modification", "sans objet", "Sans titre", "Paramètre", "Champ", "Schéma"),
        *("Type", "Description", "Corps de la requête", "obligatoire", "obsolète"),
        "Aucune police ne contient ces caractères ; leurs numéros les remplacent :",
    ),
    "es": Words(
        *(_SLASHES, "Índice", "Solicitud de cambio", "sin asunto", "Sin título", "Parámetro", "Campo", "Esquema"),
        *("Tipo", "Descripción", "Cuerpo de la solicitud", "obligatorio", "obsoleto"),
        "Ninguna fuente tiene estos caracteres; en su lugar están sus números:",
    ),
    "it": Words(
        *(_SLASHES, "Indice", "Richiesta di modifica", "senza oggetto", "Senza titolo", "Parametro", "Campo", "Schema"),
        *("Tipo", "Descrizione", "Corpo della richiesta", "obbligatorio", "obsoleto"),
        "Nessun carattere tipografico ha questi segni; al loro posto ci sono i numeri:",
    ),
    "pt": Words(
        *(_SLASHES, "Índice", "Pedido de alteração", "sem assunto", "Sem título", "Parâmetro", "Campo", "Esquema"),
        *("Tipo", "Descrição", "Corpo do pedido", "obrigatório", "obsoleto"),
        "Nenhuma fonte tem estes caracteres; os seus números estão no lugar deles:",
    ),
    "pt-br": Words(
        *(_SLASHES, "Sumário", "Solicitação de mudança", "sem assunto", "Sem título", "Parâmetro", "Campo", "Esquema"),
        *("Tipo", "Descrição", "Corpo da requisição", "obrigatório", "obsoleto"),
        "Nenhuma fonte tem estes caracteres; seus números estão no lugar deles:",
    ),
    "nl": Words(
        *("{0.day}-{0.month}-{0.year}", "Inhoud", "Wijzigingsverzoek", "geen onderwerp", "Zonder titel", "Parameter"),
        *("Veld", "Schema", "Type", "Beschrijving", "Inhoud van het verzoek", "verplicht", "verouderd"),
        "Geen lettertype heeft deze tekens; hun nummers staan op hun plaats:",
    ),
    "pl": Words(
        *(_POINTS, "Spis treści", "Prośba o zmianę", "bez tematu", "Bez tytułu", "Parametr", "Pole", "Schemat", "Typ"),
        *("Opis", "Treść żądania", "wymagane", "przestarzałe"),
        "Żadna czcionka nie ma tych znaków; w ich miejscu są ich numery:",
    ),
    "ru": Words(
        *(_POINTS, "Содержание", "Запрос на изменение", "без темы", "Без названия", "Параметр", "Поле", "Схема"),
        *("Тип", "Описание", "Тело запроса", "обязательно", "устарело"),
        "Ни в одном шрифте нет этих знаков; на их месте стоят их номера:",
    ),
    "ja": Words(
        *("{0.year}年{0.month}月{0.day}日", "目次", "変更リクエスト", "件名なし", "無題", "パラメータ", "フィールド"),
        *("スキーマ", "型", "説明", "リクエスト本文", "必須", "非推奨"),
        _MISSING,
    ),
    "ko": Words(
        *(
            "{0.year}년 {0.month}월 {0.day}일",
            "목차",
            "변경 요청",
            "제목 없음",
            "제목 없음",
            "매개변수",
            "필드",
            "스키마",
        ),
        *("유형", "설명", "요청 본문", "필수", "사용 중단"),
        _MISSING,
    ),
    "zh": Words(
        *("{0.year}年{0.month}月{0.day}日", "目录", "变更请求", "无主题", "无标题", "参数", "字段", "模式", "类型"),
        *("说明", "请求正文", "必填", "已弃用"),
        _MISSING,
    ),
    "zh-tw": Words(
        *("{0.year}年{0.month}月{0.day}日", "目錄", "變更請求", "無主旨", "無標題", "參數", "欄位", "結構描述", "類型"),
        *("說明", "請求內文", "必填", "已棄用"),
        _MISSING,
    ),
}
"""The languages of the platform for which there are words."""


def words_of(language: str | None) -> Words:
    """Return the words of a language by its code; English where the language is unknown."""
    return _LANGUAGES.get(language or "", ENGLISH)
