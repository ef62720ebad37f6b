"""Answers that refuse a request."""


class Refused(Exception):
    def __init__(self, status, code, message, retry_after=None):
        super().__init__(message)
        self.status = status
        self.code = code
        self.retry_after = retry_after

    def document(self):
        return {"error": {"code": self.code, "message": str(self)}}
