"""PDFs of spaces, change requests and pages."""

from recto.contract.addresses import InChangeRequest, Main
from recto.contract.model import Model
from recto.contract.operation import Resource, get


class PdfUrl(Model):
    """The address of a PDF, which is good for a while."""

    url: str


class Pdfs(Resource):
    """PDFs of content."""

    @get("{at}/pdf")
    async def get_pdf(self, at: Main | InChangeRequest, only: bool | None = None, page: str | None = None) -> PdfUrl:
        """The address of a PDF of {at}.

        ``page`` is the id of a page: the PDF then holds it and those below it, with ``only`` it alone.
        """
        ...
